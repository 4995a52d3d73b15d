// SPDX-License-Identifier: BSD-3-Clause
// FaultRing: the page faults of this process, each with the address that was touched and the code that did: those of the thread that
// makes it, and of all threads that come of it from then on, on the CPUs that it names. The kernel tells every so-manieth one.
// Source: perf_event_open(2). Not seen: pages that the kernel gives without a fault (MAP_POPULATE, mlock, pinned buffers).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cpu_set.hpp"
#include "os/files/descriptor.hpp"
#include "os/files/mapping.hpp"

namespace comity::os {

class FaultRing {
 public:
  struct Fault {
    std::uint64_t address;
    std::uint64_t code;
    pid_t thread;
  };

  // Takes a MiB of locked memory at the most. Throws where the kernel refuses, with what to do.
  FaultRing(const CpuSet& cpus, unsigned every);

  [[nodiscard]] unsigned every() const noexcept { return every_; }
  // Whether faults inside system calls are told too, which takes more rights.
  [[nodiscard]] bool sees_system_calls() const noexcept { return sees_system_calls_; }

  [[nodiscard]] bool has_news() const noexcept;
  // Appends those since the last time, and returns how many more found no room. By one thread at a time, and not in a fork
  // child, which has no ring.
  std::uint64_t read(std::vector<Fault>& into);

  // Of the kernel's own code.
  [[nodiscard]] static bool is_of_kernel(std::uint64_t code) noexcept { return code >> 63U != 0; }

 private:
  struct Ring {
    Descriptor event;
    Mapping mapping;
  };

  std::vector<Ring> rings_;  // one a CPU
  unsigned every_;
  bool sees_system_calls_ = true;
};

}  // namespace comity::os
