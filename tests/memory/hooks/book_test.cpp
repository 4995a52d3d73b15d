// SPDX-License-Identifier: BSD-3-Clause
// What a book makes of a kernel whose quick count is late. Runs with libcomity_memory.so preloaded.
#include "memory/rank/book.hpp"

#include <gtest/gtest.h>

#include "libraries.h"
#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

// What that count tells: what there is, less so much.
std::int64_t late_bytes = 0;
std::int64_t resident_late() noexcept {
  static const os::OwnStatm statm;
  const auto now = statm.read();
  return static_cast<std::int64_t>(now ? now->resident_bytes : 0) - late_bytes;
}

class MemoryBook : public ::testing::Test {
 protected:
  MemoryBook() {
    touch(block_, kBlock_bytes);
    look_now();
  }
  ~MemoryBook() override { free(block_); }
  [[nodiscard]] std::int64_t told(const char* column) const {
    return book_.content().tables.at(kChecksTable).integer(0, column);
  }

  static constexpr std::size_t kBlock_bytes = 64 * kMega;
  Components components_;
  void* block_ = alpha_malloc(kBlock_bytes);
  Book book_{components_, {}, {}, {}, {}, {&resident_late}};
};

TEST_F(MemoryBook, ComparesEachSampleWithAnExactCount) {
  late_bytes = 0;
  for (int i = 0; i < 5; ++i) (void)book_.sample();
  EXPECT_EQ(told("samples"), 5);
  EXPECT_EQ(told("sum_above_total"), 0);
  EXPECT_EQ(told("undecided"), 0);
}

TEST_F(MemoryBook, AsksAllMappingsBeforeItCallsALateCountAnError) {
  late_bytes = static_cast<std::int64_t>(kBlock_bytes);
  for (int i = 0; i < 5; ++i) (void)book_.sample();
  EXPECT_EQ(told("samples"), 5);
  EXPECT_EQ(told("sum_above_total"), 0) << "what it is late by counts";
  EXPECT_EQ(told("mpi_above_total"), 0);
}

// Each time it is late by more than was known.
TEST_F(MemoryBook, TellsWhatNobodyDecidedOnceItHasAskedOftenEnough) {
  constexpr int kEnough = 100;
  for (int i = 1; i <= kEnough + 7; ++i) {
    late_bytes = i * static_cast<std::int64_t>(kBlock_bytes);
    (void)book_.sample();
  }
  EXPECT_EQ(told("samples"), kEnough + 7);
  EXPECT_EQ(told("sum_above_total"), 0);
  EXPECT_EQ(told("undecided"), 7);
}

}  // namespace
}  // namespace comity::memory
