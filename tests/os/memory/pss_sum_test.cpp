// SPDX-License-Identifier: BSD-3-Clause
// A sum over a text that comes in parts.
#include "os/memory/pss_sum.hpp"

#include <gtest/gtest.h>

#include <string>

namespace comity::os {
namespace {

constexpr std::uint64_t kKiB = 1024;

bool is_ours(std::string_view name) noexcept { return name.ends_with("/libours.so"); }
bool is_nothing(std::string_view /*name*/) noexcept { return false; }

const std::string& text() {
  static const auto* const all = new std::string(
      "55d0c0000000-55d0c0001000 r-xp 00000000 fd:01 17                         /opt/my solver\n"
      "Size:                  4 kB\nPss:                   3 kB\nPss_Dirty:             1 kB\nVmFlags: rd ex\n"
      "7f01c0000000-7f01c0002000 r-xp 00000000 fd:01 18 /opt/libours.so\nPss:                   8 kB\nSwapPss: 0 kB\n"
      "7f01c0002000-7f01c0004000 rw-p 00002000 fd:01 18 /opt/libours.so\nPss:                  16 kB\n"
      "7f01c0004000-7f01c0005000 rw-p 00000000 00:00 0 \nPss:                  32 kB\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\nPss:                  64 kB\n");
  return *all;
}

std::uint64_t sum_in_parts_of(std::size_t bytes, PssSum::IsLeftOut is_left_out) {
  PssSum sum(is_left_out);
  for (std::size_t at = 0; at < text().size(); at += bytes) sum.add(std::string_view(text()).substr(at, bytes));
  return sum.bytes();
}

TEST(PssSum, LeavesOutWhatItIsTold) {
  EXPECT_EQ(sum_in_parts_of(text().size(), &is_nothing), (3 + 8 + 16 + 32 + 64) * kKiB);
  EXPECT_EQ(sum_in_parts_of(text().size(), &is_ours), (3 + 32 + 64) * kKiB);
}

TEST(PssSum, DoesNotCareWherePartsEnd) {
  for (std::size_t bytes = 1; bytes < 200; ++bytes) {
    ASSERT_EQ(sum_in_parts_of(bytes, &is_ours), (3 + 32 + 64) * kKiB) << bytes;
  }
}

TEST(PssSum, PassesOverWhatIsNoSuchLine) {
  PssSum sum(&is_ours);
  sum.add("\n\nPss: many kB\nPss:\n:-:\n" + std::string(20000, 'x') + "\nPss: 7 kB\nPss: 5 kB");
  EXPECT_EQ(sum.bytes(), 7 * kKiB) << "a line that has not ended does not count";
}

}  // namespace
}  // namespace comity::os
