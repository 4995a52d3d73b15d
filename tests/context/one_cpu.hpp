// SPDX-License-Identifier: BSD-3-Clause
// Tests whose pools are made under the mask of one CPU, as a launcher that binds ranks leaves it.
#pragma once

#include <gtest/gtest.h>

#include "context/masks.hpp"

namespace comity::testing {

class OnOneCpu : public ::testing::Test {
 protected:
  OnOneCpu() : before_(cpus_of(0)), cores_(Context::local().count(Resource::core)) {
    EXPECT_TRUE(bind_this_thread({before_.front()}));
  }
  ~OnOneCpu() override { bind_this_thread(before_); }

  Cpus before_;  // where the thread was
  int cores_;
};

}  // namespace comity::testing
