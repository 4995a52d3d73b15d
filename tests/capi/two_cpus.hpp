// SPDX-License-Identifier: BSD-3-Clause
// Tests on two real CPUs of this process, forked ranks of so many as the parameter says; skipped where it has one.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/cpu_set.hpp"
#include "os/cpus/affinity.hpp"

namespace comity::testing {

class OnTwoCpus : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_XMLFILE");
    const CpuSet cpus = os::affinity(::getpid());
    if (cpus.count() < 2) GTEST_SKIP() << "NOT TESTED: it needs two CPUs, this process has one";
    first_ = CpuSet{*cpus.lowest()};
    second_ = CpuSet{*(cpus - first_).lowest()};
  }

  [[nodiscard]] CpuSet both() const { return first_ | second_; }

  CpuSet first_, second_;
};

}  // namespace comity::testing
