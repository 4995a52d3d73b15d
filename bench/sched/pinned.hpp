// SPDX-License-Identifier: BSD-3-Clause
// Pinned: peers' threads on a CPU each, as harts are: that of the caller on the first, until the end of the scope.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/cpu_set.hpp"
#include "os/cpus/affinity.hpp"

namespace bench {

class Pinned {
 public:
  Pinned() : before_(comity::os::affinity(0)) {
    before_.for_each([this](std::size_t cpu) { cpus_.push_back(cpu); });
    pin(0);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { (void)comity::os::set_affinity(0, before_); }

  // The calling thread, which is that member of the peer's team.
  void pin(int member) const { (void)comity::os::set_affinity(0, comity::CpuSet{cpu_of(member)}); }
  [[nodiscard]] std::size_t cpu_of(int member) const {
    return cpus_[static_cast<std::size_t>(std::max(member, 0)) % cpus_.size()];
  }

 private:
  const comity::CpuSet before_;
  std::vector<std::size_t> cpus_;
};

}  // namespace bench
