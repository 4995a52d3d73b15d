// SPDX-License-Identifier: BSD-3-Clause
// What is written down of a look at all pages of this process.
#include "memory/rank/stocks.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "os/kernel.hpp"

namespace comity::memory {
namespace {

// Segments without a name, of a page each.
class Segments {
 public:
  explicit Segments(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      void* const start = ::mmap(nullptr, os::page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (start == MAP_FAILED) break;
      starts_.push_back(std::memset(start, 1, os::page_bytes()));
    }
  }
  ~Segments() {
    for (void* const start : starts_) (void)::munmap(start, os::page_bytes());
  }
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(starts_.size() * os::page_bytes()); }

 private:
  std::vector<void*> starts_;
};

std::int64_t sum_of(const record::Table& table, const char* column) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, column);
  return sum;
}

// Those beyond the 32 with most were not told, and no sum said so.
TEST(Stocks, SegmentsBeyondThoseWithMostAreToldTogether) {
  constexpr std::size_t kBeyond = 8;
  const Components components;
  Stocks stocks(components, nullptr);
  const Segments segments(32 + kBeyond);
  (void)stocks.take(Moment::asked);
  const record::Table table = stocks.segments_table();
  ASSERT_EQ(table.rows(), 33U);
  const std::size_t last = table.rows() - 1;
  EXPECT_EQ(table.text(last, "segment"), kOtherSegments);
  EXPECT_EQ(table.text(last, "maker"), "shared");
  EXPECT_GE(table.integer(last, "rss_bytes"), static_cast<std::int64_t>(kBeyond * os::page_bytes()));
  EXPECT_GE(sum_of(table, "rss_bytes"), segments.bytes());
  EXPECT_GE(sum_of(table, "mapped_bytes"), segments.bytes());
}

TEST(Stocks, APageHasTheLastLookAlone) {
  const Components components;
  Stocks stocks(components, nullptr);
  (void)stocks.take(Moment::after_init);
  (void)stocks.take(Moment::at_end);
  const auto moments_in = [](const record::Table& table) {
    std::vector<std::string> moments;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (moments.empty() || moments.back() != table.text(row, "moment")) moments.push_back(table.text(row, "moment"));
    }
    return moments;
  };
  EXPECT_EQ(moments_in(stocks.uses_table()), (std::vector<std::string>{"after MPI_Init", "at the end"}));
  EXPECT_EQ(moments_in(stocks.uses_table(Looks::last)), (std::vector<std::string>{"at the end"}));
}

TEST(Stocks, AllMemoryOfTheNodeIsReadAtEachMoment) {
  const Components components;
  Stocks stocks(components, nullptr);
  (void)stocks.take(Moment::after_init);
  const record::Table table = stocks.node_table();
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text(0, "moment"), "before MPI_Init");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    EXPECT_GT(table.integer(row, "total_bytes"), table.integer(row, "free_bytes"));
    EXPECT_EQ(table.integer(row, "total_bytes"), table.integer(0, "total_bytes"));
  }
}

}  // namespace
}  // namespace comity::memory
