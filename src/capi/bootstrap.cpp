// SPDX-License-Identifier: BSD-3-Clause
// What a bootstrap may ask of Comity.
#include <comity/bootstrap.h>

#include "base/error.hpp"
#include "capi/guard.hpp"
#include "os/kernel.hpp"
#include "os/launched_ranks.hpp"

using namespace comity;

comity_status comity_launched_ranks(int32_t* ranks, int32_t capacity, int32_t* count, int32_t* started) {
  return capi::guard([&] {
    std::int32_t& how_many = capi::required(started, "started");
    const auto found = os::launched_ranks(os::process_id());
    if (!found) {
      throw Error(
          Status::unsupported,
          "list the launched ranks: this process was not started as a rank, or /proc does not show all that its "
          "launcher started");
    }
    how_many = found->started;
    capi::write_list(found->living, ranks, capacity, count, "ranks");
  });
}
