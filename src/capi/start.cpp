// SPDX-License-Identifier: BSD-3-Clause
#include <comity/start.h>

#include "base/error.hpp"
#include "capi/guard.hpp"
#include "os/threads/openmp.hpp"

using namespace comity;

comity_status comity_start_counted(int32_t cpus) {
  return capi::guard([&] {
    if (cpus < 1) {
      throw Error(Status::argument,
                  "say how many CPUs were counted: " + std::to_string(cpus) + " is none; say at least 1");
    }
    os::OpenMp::tell_cpus_at_load(cpus);
  });
}
