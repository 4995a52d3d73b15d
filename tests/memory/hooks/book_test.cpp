// SPDX-License-Identifier: BSD-3-Clause
// What a book makes of a kernel whose quick count is late. Runs with libcomity_memory.so preloaded.
#include "memory/rank/book.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "base/clock.hpp"
#include "libraries.h"
#include "memory/hooks/side_by_side.hpp"
#include "memory/hooks/since.hpp"
#include "os/kernel.hpp"

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

// A rank that is killed tells what it had when it last told: a peak goes with what there was then.
TEST_F(MemoryBook, KnowsThatWhatItToldOfAKilledRankIsOfAnotherTime) {
  late_bytes = 0;
  (void)book_.peaks();
  EXPECT_FALSE(book_.has_moved());
  late_bytes = 4 * static_cast<std::int64_t>(kMega);
  EXPECT_TRUE(book_.has_moved()) << "it has less, which no peak tells";
  (void)book_.peaks();
  EXPECT_FALSE(book_.has_moved());
  late_bytes = 0;
  EXPECT_TRUE(book_.has_moved());
  book_.turn(false);
  EXPECT_FALSE(book_.has_moved()) << "nothing is recorded";
  book_.turn(true);  // the hooks keep no peaks before, of anybody
}

// --- what is told of a kernel whose count is off ---

constexpr std::int64_t kLittle_bytes = std::int64_t{2} << 20U;

std::int64_t resident_truly() {
  static const os::OwnStatm statm;
  const auto now = statm.read();
  return static_cast<std::int64_t>(now ? now->resident_bytes : 0);
}

std::int64_t peak_of_all(const Book& book) {
  const record::Content content = book.content();
  const record::Table& peaks = content.tables.at(kPeaksTable);
  for (std::size_t row = 0; row < peaks.rows(); ++row) {
    if (peaks.text(row, "component") == kTotalName) return peaks.integer(row, "seen_bytes");
  }
  return 0;
}

std::int64_t quick_count(const Book& book, const char* column) {
  return book.content().tables.at(kQuickCountTable).integer(0, column);
}

TEST_F(MemoryBook, TakesACountThatIsRightAsItIs) {
  late_bytes = 0;
  book_.take_stock(Moment::after_init);
  EXPECT_EQ(quick_count(book_, "is_approximate"), 0);
  EXPECT_EQ(quick_count(book_, "exact_counts"), 1);
  EXPECT_GT(quick_count(book_, "bound_bytes"), 0);
}

TEST_F(MemoryBook, PutsACountThatIsOffRightFromTheFirstLookOn) {
  for (const std::int64_t mega : {40, -40}) {
    Book book{components_, {}, {}, {}, {}, {&resident_late}};
    late_bytes = mega * static_cast<std::int64_t>(kMega);
    EXPECT_NEAR(static_cast<double>(book.total_bytes()), static_cast<double>(resident_truly() - late_bytes),
                static_cast<double>(kLittle_bytes));
    book.take_stock(Moment::after_init);
    EXPECT_EQ(quick_count(book, "is_approximate"), 1);
    EXPECT_NEAR(static_cast<double>(quick_count(book, mega > 0 ? "most_below_bytes" : "most_above_bytes")),
                40.0 * kMega, static_cast<double>(kLittle_bytes));
    EXPECT_NEAR(static_cast<double>(book.total_bytes()), static_cast<double>(resident_truly()),
                static_cast<double>(kLittle_bytes));
  }
}

// The count drifts on while the process grows: what the last exact one said of it is right no more.
TEST_F(MemoryBook, CountsAPeakExactlyWhereTheQuickCountIsOff) {
  late_bytes = 8 * static_cast<std::int64_t>(kMega);
  book_.take_stock(Moment::after_init);
  void* const block = alpha_malloc(kBlock_bytes);
  touch(block, kBlock_bytes);
  late_bytes = 40 * static_cast<std::int64_t>(kMega);
  const std::int64_t truth = resident_truly();
  book_.glance(now_ns() + 10'000'000, "MPI_Recv");
  free(block);
  EXPECT_NEAR(static_cast<double>(peak_of_all(book_)), static_cast<double>(truth), static_cast<double>(kLittle_bytes));
  EXPECT_NEAR(static_cast<double>(quick_count(book_, "most_exact_bytes")), static_cast<double>(truth),
              static_cast<double>(kLittle_bytes));
}

// --- what is known at looks at all pages alone ---

// Static memory of alpha's, which the kernel gets back at the end.
class Statics {
 public:
  static constexpr std::size_t kBytes = 96 * kMega;
  Statics() { touch(alpha_static(), kBytes); }
  ~Statics() {
    const std::size_t page = os::page_bytes();
    char* const first = alpha_static() + (page - reinterpret_cast<std::uintptr_t>(alpha_static()) % page);
    (void)::madvise(first, kBytes - page, MADV_DONTNEED);
  }
  Statics(const Statics&) = delete;
  Statics& operator=(const Statics&) = delete;
};

double megas(std::int64_t mega) { return static_cast<double>(mega) * static_cast<double>(kMega); }

// Behind MPI_Init, with alpha as a component.
class BookWithAlpha : public ::testing::Test {
 protected:
  void SetUp() override { book_.take_stock(Moment::after_init); }
  [[nodiscard]] std::int64_t sampled(Component component) {
    return book_.sample().components[static_cast<std::size_t>(component)];
  }
  // What ranges have is seen, and there is time that pays for looks at all else: both depend on what earlier looks have taken, and on a crowded
  // machine that was more than there is credit for, so that a peak was found when its block went, between calls.
  void glance(std::int64_t after_s) {
    look_now();
    book_.glance(now_ns() + after_s * 1'000'000'000, "MPI_Recv");
  }

  Components components_ = components_of(std::getenv("COMITY_MEMORY_RULES"));
  Component alpha_ = static_cast<Component>(number_of("alpha"));
  Book book_{components_};
};
using MemoryBookOfPeaks = BookWithAlpha;
using MemoryBookOfSegments = BookWithAlpha;
using MemoryFoundPeaks = BookWithAlpha;

// The most of the one and the most of the other, whose moments are not the same, came to a peak that never was.
TEST_F(MemoryBookOfPeaks, AddsNoBlocksToStaticMemoryThatCameLater) {
  void* const block = alpha_malloc(160 * kMega);
  touch(block, 160 * kMega);
  glance(10);
  alpha_free(block);
  EXPECT_NEAR(static_cast<double>(book_.of(alpha_).most), megas(160), megas(1));
  const Statics statics;
  book_.take_stock(Moment::asked);
  EXPECT_NEAR(static_cast<double>(book_.of(alpha_).now), megas(96), megas(1));
  EXPECT_NEAR(static_cast<double>(book_.of(alpha_).most), megas(160), megas(2)) << "there never was more";
  void* const next = alpha_malloc(80 * kMega);
  touch(next, 80 * kMega);
  glance(20);
  alpha_free(next);
  EXPECT_NEAR(static_cast<double>(book_.of(alpha_).most), megas(96 + 80), megas(2)) << "both were there";
  const record::Table peaks = book_.content().tables.at(kPeaksTable);
  for (std::size_t row = 0; row < peaks.rows(); ++row) {
    if (peaks.text(row, "component") != "alpha") continue;
    EXPECT_EQ(peaks.integer(row, "seen_bytes"), book_.of(alpha_).most);
    EXPECT_EQ(peaks.text(row, "where"), "MPI_Recv");
  }
}

// Whatever a thread gave back between the look at the end and the writing was taken off: components came to less than the kernel's sum, where
// Comity's own thread was reading what is held.
TEST_F(MemoryBookOfPeaks, SaysWhatWasThereAtTheEndWhoeverGivesItBackThen) {
  void* const block = alpha_malloc(32 * kMega);
  touch(block, 32 * kMega);
  book_.take_stock(Moment::at_end);
  alpha_free(block);
  EXPECT_NEAR(static_cast<double>(book_.of(alpha_).now), megas(32), megas(1));
}

// Of alpha and of all: between these moments. check(peaks, row): what else is so of each.
template <class Check>
void expect_peaks_within(const record::Table& peaks, std::int64_t begin_ns, std::int64_t end_ns, const Check& check) {
  int found = 0;
  for (std::size_t row = 0; row < peaks.rows(); ++row) {
    const std::string& name = peaks.text(row, "component");
    if (name != "alpha" && name != kTotalName) continue;
    ++found;
    SCOPED_TRACE(name);
    EXPECT_GE(peaks.integer(row, "time_ns"), begin_ns);
    EXPECT_LE(peaks.integer(row, "time_ns"), end_ns);
    check(row);
  }
  EXPECT_EQ(found, 2);
}

// A count of what nobody asked for, behind which peaks begin anew, lost what had been found before: it had the moment and the call of that count.
TEST_F(MemoryFoundPeaks, KeepTheirMomentWhereWhatIsBesideIsCountedAgain) {
  void* const block = alpha_malloc(160 * kMega);
  touch(block, 160 * kMega);
  const std::int64_t before_ns = now_ns();
  alpha_free(block);
  const std::int64_t behind_ns = now_ns();
  const Statics statics;
  glance(10);
  ASSERT_NEAR(static_cast<double>(sampled(alpha_)), megas(96), megas(1)) << "it was counted again";
  const record::Table peaks = book_.content().tables.at(kPeaksTable);
  expect_peaks_within(peaks, before_ns, behind_ns, [&](std::size_t row) {
    EXPECT_GT(peaks.integer(row, "seen_bytes"), static_cast<std::int64_t>(159 * kMega));
    EXPECT_EQ(peaks.text(row, "where"), kBetweenCalls);
  });
}

// Nobody looked before small blocks went: their peak had the moment of the next look, and was nobody's in all.
TEST_F(MemoryFoundPeaks, OfSmallBlocksHaveTheMomentAtWhichTheyBeginToGo) {
  constexpr std::size_t kBlock = 1000;
  std::vector<void*> blocks(300'000);
  for (void*& block : blocks) {
    block = alpha_malloc(kBlock);
    touch(block, kBlock);
  }
  const std::int64_t before_ns = now_ns();
  const auto some = static_cast<std::ptrdiff_t>(blocks.size() / 100);
  std::for_each(blocks.begin(), blocks.begin() + some, &alpha_free);
  const std::int64_t behind_ns = now_ns();
  std::for_each(blocks.begin() + some, blocks.end(), &alpha_free);
  glance(10);
  expect_peaks_within(book_.content().tables.at(kPeaksTable), before_ns, behind_ns, [](std::size_t /*row*/) {});
  const record::Table rise = book_.content().tables.at(kRiseTable);
  ASSERT_EQ(rise.rows(), 1U);
  constexpr std::int64_t kOfMalloc_bytes = 16;  // beside each block
  EXPECT_LT(rise.integer(0, "untold_bytes"),
            static_cast<std::int64_t>(blocks.size()) * kOfMalloc_bytes + static_cast<std::int64_t>(kMega));
}

// Between two looks at all pages it was taken to stay as it was.
TEST_F(MemoryBookOfPeaks, SeesStaticMemoryWithoutALookAtAllPages) {
  const auto told = [&](int after_s) {
    glance(after_s);
    EXPECT_LT(book_.sample().untold, static_cast<std::int64_t>(2 * kMega));
    return static_cast<double>(sampled(alpha_));
  };
  const double before = told(10);
  {
    const Statics statics;
    EXPECT_NEAR(told(20) - before, megas(96), megas(1));
  }
  EXPECT_NEAR(told(30) - before, 0, megas(1)) << "it is gone";
}

// Nor had the heap more that malloc keeps.
TEST_F(MemoryBookOfPeaks, SeesWhatMallocKeeps) {
  constexpr std::size_t kEach = 1000;
  constexpr std::size_t kBlocks = 100'000;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(alpha_malloc(kEach));
  for (void* const block : blocks) touch(block, kEach);
  glance(10);
  EXPECT_LT(book_.sample().untold, static_cast<std::int64_t>(2 * kMega));
  const auto kept = [&] { return sampled(Component::heap_unused); };
  const std::int64_t before = kept();
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (i % 50 != 0) alpha_free(blocks[i]);
  }
  glance(20);
  EXPECT_GT(kept() - before, static_cast<std::int64_t>(kEach * kBlocks * 9 / 10));
  EXPECT_LT(book_.sample().untold, static_cast<std::int64_t>(2 * kMega));
  for (std::size_t i = 0; i < kBlocks; i += 50) alpha_free(blocks[i]);
}

// Nor had a page in which two large blocks meet one owner: both had it, and so had the words between them, which are malloc's.
TEST_F(MemoryBookOfPeaks, SharesOutPagesInWhichLargeBlocksMeet) {
  const auto more_than_there_is = [](const Sample& sample) {
    std::int64_t all = -sample.total - sample.components[static_cast<std::size_t>(Component::page_tables)];
    for (const std::int64_t bytes : sample.components) all += bytes;
    return static_cast<double>(all);
  };
  const std::int64_t alpha = sampled(alpha_);
  const double before = more_than_there_is(book_.sample());
  const BlocksSideBySide blocks(&alpha_malloc, &alpha_free);
  const auto expect_truth = [&](const char* when) {
    const auto truth = static_cast<double>(blocks.resident_bytes());
    EXPECT_NEAR(static_cast<double>(sampled(alpha_) - alpha), truth, truth / 100) << when;
    EXPECT_NEAR(more_than_there_is(book_.sample()) - before, 0, megas(1) / 2) << when;
  };
  glance(10);
  expect_truth("as it changed");
  book_.take_stock(Moment::asked);
  expect_truth("at a look at all pages");
}

// What nobody is known to have had at the peak counted as if all were told.
TEST_F(MemoryBookOfPeaks, SaysWhatOfThePeakIsNotTold) {
  const auto untold = [&] { return book_.content().tables.at(kRiseTable).integer(0, "untold_bytes"); };
  EXPECT_LT(untold(), static_cast<std::int64_t>(kMega));
  const int file = ::memfd_create("untold", 0);
  ASSERT_EQ(::ftruncate(file, static_cast<off_t>(512 * kMega)), 0);
  void* const start = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, nullptr, 512 * kMega, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));  // past the hooks
  touch(start, 512 * kMega);
  glance(10);
  EXPECT_NEAR(static_cast<double>(untold()), megas(512), megas(4));
  EXPECT_NEAR(static_cast<double>(book_.sample().untold), megas(512), megas(4));
  book_.take_stock(Moment::asked);
  EXPECT_LT(untold(), static_cast<std::int64_t>(kMega)) << "now it is known whose it is";
  (void)::munmap(start, 512 * kMega);
  (void)::close(file);
}

// --- what others share ---

// A process that has touched these pages too, until it is not needed any more.
class Sharer {
 public:
  Sharer(void* pages, std::size_t bytes) {
    int ready[2];
    int over[2];
    if (::pipe(ready) != 0 || ::pipe(over) != 0) std::abort();
    child_ = ::fork();
    char byte = 0;
    if (child_ == 0) {
      touch(pages, bytes);
      (void)!::write(ready[1], &byte, 1);
      (void)::close(over[1]);
      (void)!::read(over[0], &byte, 1);
      ::_exit(0);
    }
    if (::read(ready[0], &byte, 1) != 1) std::abort();
    for (const int end : {ready[0], ready[1], over[0]}) (void)::close(end);
    over_ = over[1];
  }
  ~Sharer() {
    (void)::close(over_);
    (void)::waitpid(child_, nullptr, 0);
  }
  Sharer(const Sharer&) = delete;
  Sharer& operator=(const Sharer&) = delete;

 private:
  pid_t child_ = -1;
  int over_ = -1;
};

// Its share was taken for all of it, of which more was then taken off than had been counted.
TEST_F(MemoryBookOfSegments, HasNothingLeftOfOneThatHasGoneAfterALook) {
  void* const own = alpha_malloc(16 * kMega);
  touch(own, 16 * kMega);
  void* const segment = alpha_map(nullptr, 64 * kMega, MAP_SHARED | MAP_ANONYMOUS, -1);
  touch(segment, 64 * kMega);
  {
    const Sharer sharer(segment, 64 * kMega);
    book_.take_stock(Moment::asked);
    EXPECT_NEAR(static_cast<double>(sampled(alpha_)), megas(80), megas(1)) << "each process has all of it";
    EXPECT_NEAR(static_cast<double>(book_.of(alpha_).now), megas(80), megas(1));
  }
  alpha_unmap(segment, 64 * kMega);
  EXPECT_NEAR(static_cast<double>(sampled(alpha_)), megas(16), megas(1));
  EXPECT_NEAR(static_cast<double>(book_.of(alpha_).now), megas(16), megas(1));
  alpha_free(own);
}

}  // namespace
}  // namespace comity::memory
