// SPDX-License-Identifier: BSD-3-Clause
// What a book makes of figures that cannot be. Its ledger is the hooks' own, changed on its way: MPI has more small blocks than anybody has asked
// for. Runs with libcomity_memory.so preloaded.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "memory/rank/book.hpp"

namespace comity::memory {
namespace {

constexpr std::int64_t kMuch_bytes = std::int64_t{1} << 30U;
constexpr auto kMpi = static_cast<std::uint32_t>(Component::mpi);

std::int64_t more_of_mpi = 0;
std::int64_t in_hugetlb = 0;
bool another_looks = false;

std::int64_t told_in_hugetlb() noexcept { return in_hugetlb; }

const Ledger& ledger_of_hooks() {
  static const auto* const found = reinterpret_cast<LedgerFunction>(::dlsym(RTLD_NEXT, kLedgerName))();
  return *found;
}

void changed_sum(std::uint32_t component, LedgerSum* into) {
  ledger_of_hooks().sum(component, into);
  if (component == kMpi) into->small += more_of_mpi;
}

void changed_sums(std::uint32_t first, LedgerSum* into, std::uint32_t room) {
  ledger_of_hooks().sums(first, into, room);
  if (kMpi - first < room) into[kMpi - first].small += more_of_mpi;
}

int changed_look(int when) { return another_looks ? 0 : ledger_of_hooks().look(when); }

Ledger changed_ledger() {
  Ledger changed = ledger_of_hooks();
  changed.sum = &changed_sum;
  changed.sums = &changed_sums;
  changed.look = &changed_look;
  return changed;
}

// Behind MPI_Init.
class MemoryImpossible : public ::testing::Test {
 protected:
  MemoryImpossible() {
    more_of_mpi = 0;
    in_hugetlb = 0;
    book_.take_stock(Moment::after_init);
    samples_before_ = table("samples");
  }
  ~MemoryImpossible() override {
    more_of_mpi = 0;
    another_looks = false;
  }
  [[nodiscard]] std::int64_t table(const char* column) const {
    return book_.content().tables.at(kChecksTable).integer(0, column);
  }
  [[nodiscard]] std::int64_t samples() const { return table("samples") - samples_before_; }
  [[nodiscard]] std::optional<Sample> from_beside() { return book_.look_from_beside(now_ns(), kBetweenCalls); }

  Components components_;
  Book book_{components_, {}, {}, {}, {}, {nullptr, &told_in_hugetlb}};
  std::int64_t samples_before_ = 0;
};

// What the ledger has is more than smaps_rollup tells.
TEST_F(MemoryImpossible, IsAnErrorOnceAllMappingsWereAsked) {
  more_of_mpi = kMuch_bytes;
  (void)book_.sample();
  EXPECT_EQ(samples(), 1);
  EXPECT_EQ(table("mpi_above_total"), 1);
  EXPECT_EQ(table("sum_above_total"), 1);
  EXPECT_EQ(table("undecided"), 0);
  more_of_mpi = 0;
  (void)book_.sample();
  EXPECT_EQ(samples(), 2);
  EXPECT_EQ(table("mpi_above_total"), 1);
  EXPECT_EQ(table("sum_above_total"), 1);
}

TEST_F(MemoryImpossible, IsNoErrorWhereItLiesInHugetlbfs) {
  more_of_mpi = in_hugetlb = kMuch_bytes;
  (void)book_.sample();
  EXPECT_EQ(samples(), 1);
  EXPECT_EQ(table("mpi_above_total"), 0);
  EXPECT_EQ(table("sum_above_total"), 0);
  EXPECT_EQ(table("undecided"), 0);
}

TEST_F(MemoryImpossible, IsUndecidedWhileAnotherThreadLooks) {
  more_of_mpi = kMuch_bytes;
  another_looks = true;
  (void)book_.sample();
  EXPECT_EQ(samples(), 1);
  EXPECT_EQ(table("mpi_above_total"), 0);
  EXPECT_EQ(table("sum_above_total"), 0);
  EXPECT_EQ(table("undecided"), 1);
}

// Pages of hugetlbfs are in no total, and a rank that had more of them than of all others was told of no sample while it computed.
TEST_F(MemoryImpossible, IsNoSampleFromBesideWithMuchInHugetlbfs) {
  more_of_mpi = in_hugetlb = kMuch_bytes;
  for (int i = 0; i < 3; ++i) {
    const std::optional<Sample> sample = from_beside();
    ASSERT_TRUE(sample.has_value());
    EXPECT_GE(sample->components[kMpi], kMuch_bytes);
    EXPECT_LT(sample->total, kMuch_bytes);
  }
  EXPECT_EQ(samples(), 3);
  EXPECT_EQ(table("undecided"), 0);
}

TEST_F(MemoryImpossible, IsCountedFromBesideAsWhatNobodyDecides) {
  more_of_mpi = kMuch_bytes;
  EXPECT_FALSE(from_beside().has_value());
  EXPECT_EQ(samples(), 1);
  EXPECT_EQ(table("undecided"), 1);
  EXPECT_EQ(table("mpi_above_total"), 0) << "from beside all mappings are not asked";
  more_of_mpi = 0;
  EXPECT_TRUE(from_beside().has_value());
  EXPECT_EQ(samples(), 2);
  EXPECT_EQ(table("undecided"), 1);
}

}  // namespace
}  // namespace comity::memory

// The program's own comes before that of a preloaded library.
extern "C" __attribute__((visibility("default"))) const comity::memory::Ledger* comity_memory_ledger() {
  static const comity::memory::Ledger changed = comity::memory::changed_ledger();
  return &changed;
}
