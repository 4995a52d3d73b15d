// SPDX-License-Identifier: BSD-3-Clause
// For programs whose memory is counted: small pages, also where the machine gives large ones to all, which are resident as a
// whole as soon as one byte is touched.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace comity::testing {

class SmallPages final : public ::testing::Environment {
 public:
  void SetUp() override { ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
};
[[maybe_unused]] inline const auto* const kSmallPages = ::testing::AddGlobalTestEnvironment(new SmallPages);

}  // namespace comity::testing
