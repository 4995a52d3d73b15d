// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/count.hpp"

#include <gtest/gtest.h>

namespace twomesh::parallel {
namespace {

constexpr std::size_t kMost = 2147483647;

TEST(Count, OfAMessageIsWhatMpiTakes) {
  EXPECT_EQ(count_of(0), 0);
  EXPECT_EQ(count_of(kMost), 2147483647);
}

TEST(Count, ThatMpiCannotTakeIsToldInsteadOfCutOff) {
  for (const std::size_t number : {kMost + 1, 2 * kMost + 2, 2 * kMost + 3}) {
    EXPECT_THROW((void)count_of(number), std::length_error) << number;
  }
}

}  // namespace
}  // namespace twomesh::parallel
