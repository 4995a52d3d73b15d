// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/page_node.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace comity::os {

// Without target nodes the call moves nothing and only tells.
std::optional<int> node_of_page(const void* address) {
  int node = -1;
  if (::syscall(SYS_move_pages, 0, 1UL, &address, nullptr, &node, 0) != 0 || node < 0) return std::nullopt;
  return node;
}

}  // namespace comity::os
