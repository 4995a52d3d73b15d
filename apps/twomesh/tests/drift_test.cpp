// SPDX-License-Identifier: BSD-3-Clause
// What is not a number fails a check, wherever it stands.
#include "checks/drift.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace twomesh::checks {
namespace {

TEST(Drift, WhatIsNoNumberIsTheWorstOfAll) {
  const Totals before{1.0, 0.0, 0.0, 2.0};
  EXPECT_LE(drift_between(before, before).largest(), kDriftBound);
  for (std::size_t field = 0; field < before.size(); ++field) {
    Totals after = before;
    after[field] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_GT(drift_between(before, after).largest(), kDriftBound) << "field " << field;
  }
}

}  // namespace
}  // namespace twomesh::checks
