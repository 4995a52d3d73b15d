// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/checksum.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace twomesh {
namespace {

std::uint64_t of(const std::vector<double>& values) {
  Checksum sum;
  sum.add(values);
  return sum.value();
}

TEST(Checksum, EqualNumbersGiveEqualSums) { EXPECT_EQ(of({1.0, 2.0, 3.0}), of({1.0, 2.0, 3.0})); }
TEST(Checksum, SeesTheLastBit) { EXPECT_NE(of({1.0, 2.0}), of({1.0, 2.0 + 0x1p-51})); }
TEST(Checksum, SeesTheOrder) { EXPECT_NE(of({1.0, 2.0}), of({2.0, 1.0})); }
TEST(Checksum, SeesTheSignOfZero) { EXPECT_NE(of({0.0}), of({-0.0})); }
TEST(Checksum, SeesTheLength) { EXPECT_NE(of({0.0}), of({0.0, 0.0})); }
TEST(Checksum, IsWrittenWithSixteenDigits) { EXPECT_EQ(to_hex(0xABCULL), "0000000000000abc"); }

}  // namespace
}  // namespace twomesh
