// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/thread_blocks.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "os/proc.hpp"

namespace comity::os {

std::vector<std::uint64_t> thread_blocks(pid_t process) {
  std::vector<std::uint64_t> blocks;
  for (const pid_t thread : numbered_entries("/proc/" + std::to_string(process) + "/task")) {
    if (thread == process) continue;
    void* head = nullptr;
    std::size_t bytes = 0;
    if (::syscall(SYS_get_robust_list, thread, &head, &bytes) == 0 && head != nullptr)
      blocks.push_back(reinterpret_cast<std::uint64_t>(head));
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace comity::os
