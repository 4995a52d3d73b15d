// SPDX-License-Identifier: BSD-3-Clause
// What a bootstrap may ask of Comity.
#include <comity/bootstrap.h>

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "capi/guard.hpp"
#include "os/kernel.hpp"
#include "os/process/launched_ranks.hpp"

using namespace comity;

// Containers of one node that share no network, as pods with an agent each, mostly share no folder and no process numbers
// by which memory could be handed over; and hosts that are emulated on one kernel have networks of their own.
comity_status comity_node_key(uint64_t* key) {
  return capi::guard([&] {
    std::uint64_t& into = capi::required(key, "key");
    const std::string boot = os::boot_id();
    Hash hash;
    hash.add(boot.empty() ? os::host_name() : boot);
    hash.add(os::namespace_id("net"));
    into = hash.value();
  });
}

comity_status comity_launched_ranks(int32_t* ranks, int32_t capacity, int32_t* count, int32_t* started) {
  return capi::guard([&] {
    (void)capi::required(started, "started");
    const auto found = os::launched_ranks(os::process_id());
    if (!found) {
      throw Error(
          Status::unsupported,
          "list the launched ranks: this process was not started as a rank, or /proc does not show all that its "
          "launcher started");
    }
    capi::write_list(found->living, ranks, capacity, count, "ranks");
    *started = found->started;
  });
}
