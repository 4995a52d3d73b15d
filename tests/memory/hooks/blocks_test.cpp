// SPDX-License-Identifier: BSD-3-Clause
// Ground truth of the hooks: libraries that allocate known amounts, and what the ledger says of them. Runs with
// libcomity_memory.so preloaded, before glibc's malloc and before others.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <latch>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "libraries.h"
#include "memory/hooks/side_by_side.hpp"
#include "memory/hooks/since.hpp"
#include "memory/small_pages.hpp"
#include "os/memory/totals.hpp"

namespace comity::memory {
namespace {

TEST(MemoryHooks, CountSmallBlocksForTheLibraryThatAskedForThem) {
  const Since alpha("alpha");
  const Since beta("beta");
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 10'000; ++i) blocks.push_back(alpha_malloc(100));
  for (std::size_t i = 0; i < 1'000; ++i) blocks.push_back(alpha_calloc(10, 7));
  EXPECT_EQ(alpha.small(), 10'000 * 100 + 1'000 * 70);
  EXPECT_EQ(beta.small(), 0);
  for (void* const block : blocks) free(block);  // whoever frees them
  EXPECT_EQ(alpha.small(), 0);
}

TEST(MemoryHooks, TellAllSumsAtOnce) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 100; ++i) blocks.push_back(alpha_malloc(1 + i * 1000));
  blocks.push_back(alpha_malloc(77));                                  // so that this thread's own numbers are not 0
  std::thread([&] { blocks.push_back(alpha_malloc(3'333)); }).join();  // whose desk is left
  std::vector<LedgerSum> all(ledger().components() + 3);
  for (LedgerSum& sum : all) sum.small = -1;
  ledger().sums(0, all.data(), static_cast<std::uint32_t>(all.size()));
  for (const char* const name : {"alpha", "beta", "mpi", "comity"}) {
    const LedgerSum one = sum_of(name);
    const LedgerSum& same = all[number_of(name)];
    EXPECT_EQ(same.small, one.small) << name;
    EXPECT_EQ(same.ranges, one.ranges) << name;
    EXPECT_EQ(same.seen, one.seen) << name;
    EXPECT_EQ(same.most_asked, one.most_asked) << name;
    EXPECT_EQ(same.most_resident, one.most_resident) << name;
  }
  EXPECT_GT(all[number_of("alpha")].small, 3'333);
  EXPECT_EQ(all.back().small, -1) << "where no component is nothing is written";
  std::vector<LedgerSum> some(2);
  ledger().sums(number_of("alpha"), some.data(), 1);
  EXPECT_EQ(some[0].small, sum_of("alpha").small) << "from any component on";
  EXPECT_EQ(some[1].small, 0) << "as many as there is room for";
  ledger().sums(number_of("comity"), some.data(), 2);
  EXPECT_EQ(some[0].small, sum_of("comity").small) << "with the ends of blocks";
  for (void* const block : blocks) free(block);
}

TEST(MemoryHooks, TakeTheEndsOfBlocksForComitys) {
  constexpr std::int64_t kMillion = 1'000'000;
  std::vector<void*> blocks(static_cast<std::size_t>(kMillion));
  const Since comity("comity");
  const Since alpha("alpha");
  for (void*& block : blocks) block = alpha_malloc(16);
  EXPECT_EQ(alpha.small(), 16 * kMillion);
  EXPECT_EQ(comity.small(), 8 * kMillion);
  EXPECT_GE(sum_of("comity").most_resident, 8 * kMillion);
  std::thread([&] {  // whoever frees them
    for (void* const block : blocks) free(block);
  })
      .join();
  EXPECT_EQ(alpha.small(), 0);
  EXPECT_LE(comity.small(), 8 * 16) << "but for what a thread takes to begin";
  EXPECT_GE(sum_of("comity").most_resident, 8 * kMillion);
}

// Twice: what is remembered of the C library's frames must lead to the same place.
TEST(MemoryHooks, CountWhatTheCLibraryAllocatesForItsCaller) {
  const std::string text(999, 'x');
  for (int round = 0; round < 3; ++round) {
    const Since alpha("alpha");
    std::vector<char*> copies;
    for (int i = 0; i < 100; ++i) copies.push_back(alpha_strdup(text.c_str()));
    EXPECT_EQ(alpha.small(), 100 * 1000) << round;
    for (int i = 0; i < 100; ++i) copies.push_back(alpha_printed(text.c_str()));
    EXPECT_NEAR(static_cast<double>(alpha.small()), 200 * 1000, 100 * 128) << round;  // asprintf has some bytes more
    const Since application("application");
    for (char*& copy : copies) {
      free(copy);
      copy = strdup(text.c_str());
    }
    EXPECT_EQ(alpha.small(), 0) << round;
    EXPECT_EQ(application.small(), 200 * 1000) << round;
    for (char* const copy : copies) free(copy);
  }
}

TEST(MemoryHooks, CountWhatCPlusPlusAllocates) {
  for (int round = 0; round < 3; ++round) {
    const Since beta("beta");
    const Since libc("libc");
    void* const block = beta_new(5000);
    EXPECT_EQ(beta.small(), 5000);
    Wide* const many = beta_wide(16);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(many) % 256, 0U);
    EXPECT_EQ(beta.small(), 5000 + 16 * 256);
    std::string* const text = beta_string(40'000);
    EXPECT_GE(beta.all(), 9096 + 40'000);  // a malloc with wide steps gives a larger block, which is a range
    EXPECT_LE(beta.all(), 9096 + 2 * 40'000 + 100);
    EXPECT_EQ(libc.all(), 0);
    beta_end_string(text);
    beta_end_wide(many);
    beta_delete(block);
    EXPECT_EQ(beta.all(), 0);
  }
}

TEST(MemoryHooks, GiveABlockToWhoeverMakesItLarger) {
  const Since alpha("alpha");
  const Since application("application");
  void* block = malloc(1000);
  EXPECT_EQ(application.small(), 1000);
  memset(block, 7, 1000);
  block = alpha_realloc(block, 3000);
  EXPECT_EQ(application.small(), 0);
  EXPECT_EQ(alpha.small(), 3000);
  block = alpha_realloc(block, 300'000);  // a range by now
  EXPECT_EQ(alpha.small(), 0);
  EXPECT_EQ(alpha.ranges(), 300'000);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(static_cast<char*>(block)[i], 7);
  block = alpha_realloc(block, 500);
  EXPECT_EQ(alpha.small(), 500);
  EXPECT_EQ(alpha.ranges(), 0);
  block = alpha_realloc(block, 0);
  EXPECT_EQ(alpha.all(), 0);
  free(block);
}

TEST(MemoryHooks, KeepABlockThatCannotBecomeLarger) {
  const Since alpha("alpha");
  for (const std::size_t bytes : {std::size_t{1000}, kMega}) {
    void* const block = alpha_malloc(bytes);
    errno = 0;
    EXPECT_EQ(alpha_realloc(block, SIZE_MAX / 4), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    errno = 0;
    EXPECT_EQ(alpha_realloc(block, SIZE_MAX), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(alpha.all(), static_cast<std::int64_t>(bytes));
    free(block);
    EXPECT_EQ(alpha.all(), 0);
  }
}

TEST(MemoryHooks, RefuseMoreThanThereCanBe) {
  const Since alpha("alpha");
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - 8}) {
    errno = 0;
    EXPECT_EQ(alpha_malloc(bytes), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    errno = 0;
    EXPECT_EQ(alpha_calloc(bytes, 2), nullptr);
    EXPECT_EQ(errno, ENOMEM);
  }
  void* into = &into;
  EXPECT_EQ(posix_memalign(&into, 3, 100), EINVAL);
  EXPECT_EQ(into, &into);
  EXPECT_THROW((void)beta_new(SIZE_MAX / 2), std::bad_alloc);
  EXPECT_EQ(alpha.all(), 0);
}

TEST(MemoryHooks, AlignAsTheyAreAsked) {
  const Since alpha("alpha");
  for (const std::size_t alignment : {std::size_t{16}, std::size_t{64}, std::size_t{4096}, std::size_t{65'536}}) {
    for (int way = 0; way < 3; ++way) {
      void* const block = alpha_aligned(way, alignment, 3 * alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << way;
      EXPECT_EQ(alpha.all(), static_cast<std::int64_t>(3 * alignment)) << way;
      free(block);
      EXPECT_EQ(alpha.all(), 0) << way;
    }
  }
  for (int way = 3; way < 5; ++way) {
    void* const block = alpha_aligned(way, 0, 5000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0U);
    EXPECT_EQ(alpha.all(), way == 3 ? 5000 : 8192);
    free(block);
  }
}

// What malloc_usable_size tells is the program's, to the last byte; a block of calloc is all zero.
TEST(MemoryHooks, LeaveTheUsableBytesToTheProgram) {
  const Since alpha("alpha");
  const std::uint64_t unknown = ledger().unknown_blocks();
  for (std::size_t bytes = 0; bytes < 300'000; bytes += bytes / 5 + 1) {
    void* const block = alpha_calloc(1, bytes);
    const std::size_t usable = malloc_usable_size(block);
    ASSERT_GE(usable, bytes);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(static_cast<char*>(block)[i], 0);
    memset(block, 0xff, usable);
    free(block);
    ASSERT_EQ(alpha.all(), 0) << bytes;
  }
  EXPECT_EQ(ledger().unknown_blocks(), unknown);
  EXPECT_EQ(malloc_usable_size(nullptr), 0U);
}

// A program that writes behind its block has lost the tag: the block stays counted, another one's sum stays right.
TEST(MemoryHooks, NoticeAnOverwrittenTail) {
  const Since alpha("alpha");
  const Since application("application");
  const std::uint64_t unknown = ledger().unknown_blocks();
  void* const block = alpha_malloc(1000);
  memset(static_cast<char*>(block) + malloc_usable_size(block), 0xff, 8);
  free(block);
  EXPECT_EQ(ledger().unknown_blocks(), unknown + 1);
  EXPECT_EQ(alpha.small(), 1000);
  EXPECT_EQ(application.small(), 0);
}

TEST(MemoryHooks, SeeWhatIsResidentOfLargeBlocks) {
  const Since alpha("alpha");
  void* const block = alpha_malloc(16 * kMega);
  EXPECT_EQ(alpha.ranges(), 16 * kMega);
  look_now();
  EXPECT_LT(alpha.seen(), 64 * 1024);
  touch(block, 4 * kMega);
  look_now();
  EXPECT_NEAR(static_cast<double>(alpha.seen()), 4 * kMega, 64 * 1024);
  touch(block, 16 * kMega);
  look_now();
  EXPECT_NEAR(static_cast<double>(alpha.seen()), 16 * kMega, 64 * 1024);
  free(block);
  EXPECT_EQ(alpha.seen(), 0);
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_GE(sum_of("alpha").most_resident, static_cast<std::int64_t>(16 * kMega - 64 * 1024));
}

TEST(MemoryHooks, TellTheRangesOneByOne) {
  void* const block = alpha_malloc(3 * kMega + 5);
  std::vector<LedgerRange> ranges(ledger().ranges(nullptr, 0) + 10);
  ranges.resize(std::min(ledger().ranges(ranges.data(), ranges.size()), ranges.size()));
  int found = 0;
  for (const LedgerRange& range : ranges) {
    if (range.start != reinterpret_cast<std::uintptr_t>(block)) continue;
    ++found;
    EXPECT_EQ(range.bytes, 3 * kMega + 5);
    EXPECT_EQ(range.component, number_of("alpha"));
    EXPECT_EQ(range.is_shared, 0);
    EXPECT_EQ(range.is_block, 1);
  }
  EXPECT_EQ(found, 1);
  free(block);
}

// A page in which two of them meet counted for both: 39.2 MiB of a process that had 37.1.
TEST(MemoryHooks, CountAPageInWhichTwoLargeBlocksMeetOnce) {
  const Since beta("beta");
  const BlocksSideBySide blocks(&beta_new, &beta_delete);
  look_now();
  EXPECT_LE(beta.seen(), blocks.page_bytes());
  EXPECT_NEAR(static_cast<double>(beta.seen()), static_cast<double>(blocks.resident_bytes()),
              static_cast<double>(blocks.resident_bytes()) / 100);
}

// Nobody looks but the hooks themselves, before the first of them goes. In a round that comes too soon after another look
// they may not.
TEST(MemoryHooks, FindThePeakOfWhatComesAndGoesUnseen) {
  constexpr std::int64_t kMost = 10 * 6 * kMega;
  while (sum_of("beta").most_resident < kMost - 65'536) {
    std::vector<void*> blocks;
    for (int i = 0; i < 10; ++i) {
      blocks.push_back(beta_new(6 * kMega));
      touch(blocks.back(), 6 * kMega);
    }
    for (void* const block : blocks) beta_delete(block);
  }
  EXPECT_LE(sum_of("beta").most_resident, kMost + 200'000);
  EXPECT_GE(sum_of("beta").most_asked, kMost);
}

LedgerPeak found_peak(std::uint32_t component) {
  LedgerPeak found{};
  ledger().found_peak(component, &found);
  return found;
}

void* touched(void* block, std::size_t bytes) {
  touch(block, bytes);
  return block;
}

void come_and_go(std::size_t alpha_bytes, std::size_t beta_bytes) {
  void* const one = alpha_bytes == 0 ? nullptr : touched(alpha_malloc(alpha_bytes), alpha_bytes);
  void* const other = beta_bytes == 0 ? nullptr : touched(beta_new(beta_bytes), beta_bytes);
  if (one != nullptr) alpha_free(one);
  if (other != nullptr) beta_delete(other);
}

// Neither has more than it ever had when both together have most. In a process of its own: looks for other tests may have used up what they
// may cost.
TEST(MemoryHooks, FindWhenAndWhereAPeakWasOfEachAndOfAllTogether) {
  static constexpr std::string_view kHere = "MPI_Here";
  static std::uint32_t region = 7;
  ledger().ask_where(
      [](void* whom) {
        return LedgerWhere{kHere.data(), kHere.size(), *static_cast<const std::uint32_t*>(whom)};
      },
      &region);
  const std::int64_t begin_ns = now_ns();
  come_and_go(50 * kMega, 0);
  come_and_go(0, 40 * kMega);
  const std::int64_t alone_ns = now_ns();
  const LedgerPeak alpha = found_peak(number_of("alpha"));
  EXPECT_NEAR(static_cast<double>(alpha.bytes), 50 * kMega, 0.5 * kMega);
  EXPECT_GE(alpha.time_ns, begin_ns);
  EXPECT_LE(alpha.time_ns, alone_ns);
  EXPECT_EQ(std::string_view(alpha.where.call, alpha.where.call_bytes), kHere);
  EXPECT_EQ(alpha.where.region, 7U);
  EXPECT_NEAR(static_cast<double>(found_peak(number_of("beta")).bytes), 40 * kMega, 0.5 * kMega);
  const LedgerPeak all = found_peak(kAllThatIsResident);
  const std::uint32_t looks = ledger().looks_before_releases();
  come_and_go(45 * kMega, 35 * kMega);
  EXPECT_EQ(ledger().looks_before_releases(), looks + 1);
  EXPECT_NEAR(static_cast<double>(found_peak(kAllThatIsResident).bytes - all.bytes), 30 * kMega, kMega);
  EXPECT_GE(found_peak(kAllThatIsResident).time_ns, alone_ns);
  EXPECT_EQ(found_peak(number_of("alpha")).time_ns, alpha.time_ns) << "that was no peak of its own";
  come_and_go(45 * kMega, 35 * kMega);
  EXPECT_EQ(ledger().looks_before_releases(), looks + 1) << "nobody has more than ever";
  ledger().ask_where(nullptr, nullptr);
}

TEST(MemoryHooks, LoseNothingWithThreadsThatEnd) {
  const Since alpha("alpha");
  constexpr int kRounds = 50;
  constexpr int kThreads = 8;
  std::vector<std::vector<void*>> kept(kThreads);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (std::vector<void*>& mine : kept) {
      threads.emplace_back([&mine] {
        for (int i = 0; i < 100; ++i) {
          mine.push_back(alpha_malloc(33));
          free(alpha_malloc(1234));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(alpha.small(), kRounds * kThreads * 100 * 33);
  for (const std::vector<void*>& some : kept) {
    for (void* const block : some) free(block);
  }
  EXPECT_EQ(alpha.small(), 0);
}

TEST(MemoryHooks, LoseNothingWithMoreThreadsThanDesks) {
  const Since alpha("alpha");
  std::vector<std::thread> threads;
  std::vector<void*> kept(300);
  std::latch all(static_cast<std::ptrdiff_t>(kept.size()));
  for (void*& mine : kept) {
    threads.emplace_back([&] {
      mine = alpha_malloc(777);
      all.arrive_and_wait();  // none ends before all have come
      free(alpha_malloc(3000));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alpha.small(), 300 * 777);
  for (void* const block : kept) free(block);
  EXPECT_EQ(alpha.small(), 0);
}

// A child has what its parent had, and counts on.
TEST(MemoryHooks, CountOnInAForkChild) {
  const Since alpha("alpha");
  void* const block = alpha_malloc(5000);
  const pid_t child = fork();
  if (child == 0) {
    bool right = alpha.small() == 5000;
    void* const mine = alpha_malloc(2 * kMega);
    touch(mine, 2 * kMega);
    look_now();
    right = right && alpha.seen() > static_cast<std::int64_t>(kMega) && alpha.ranges() == 2 * kMega;
    free(block);
    free(mine);
    right = right && alpha.all() == 0;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(alpha.small(), 5000);
  free(block);
}

// What all else has stays as it is, so what the total has grown by is theirs.
void say_what_is_beside() {
  look_now();
  std::int64_t known = 0;
  for (std::uint32_t i = 0; i < ledger().components(); ++i) known += sum_of(ledger().name(i)).resident();
  ledger().beside(static_cast<std::int64_t>(os::own_resident_bytes(os::Hugetlb::left_out).value()) - known);
}

// They counted as resident as soon as they were asked for: 458 MiB of a process that had 54.
TEST(MemoryHooks, TakeSmallBlocksThatNobodyTouchedForNoneOfTheProcess) {
  constexpr std::int64_t kBlocks = 2'000;
  constexpr std::int64_t kEach = 48'000;
  constexpr std::int64_t kPage = 4096;
  say_what_is_beside();
  const Since beta("beta");
  const std::int64_t before = sum_of("beta").resident();
  const std::int64_t most = sum_of("beta").most_resident;
  std::vector<void*> blocks;
  for (int i = 0; i < kBlocks; ++i) blocks.push_back(beta_new(kEach));
  EXPECT_EQ(beta.small(), kBlocks * kEach);
  look_now();
  const std::int64_t untouched = sum_of("beta").resident() - before;
  EXPECT_LE(untouched, kBlocks * 2 * kPage + static_cast<std::int64_t>(kMega)) << "a page or two of each, for its ends";
  EXPECT_GE(untouched, kBlocks * kPage / 2);
  EXPECT_LE(sum_of("beta").most_resident,
            std::max(most, before + kBlocks * 2 * kPage + static_cast<std::int64_t>(kMega)));
  EXPECT_GT(sum_of("beta").most_untouched, kBlocks * (kEach - 3 * kPage));
  for (void* const block : blocks) touch(block, std::size_t{kEach});
  look_now();
  EXPECT_NEAR(static_cast<double>(sum_of("beta").resident() - before), kBlocks * kEach, kBlocks * kEach / 100);
  for (void* const block : blocks) beta_delete(block);
  EXPECT_EQ(beta.small(), 0);
  EXPECT_EQ(sum_of("beta").resident(), before);
}

// What lies behind the break was taken for blocks of malloc's heap, and for ranges too. Nothing is asked of malloc meanwhile: it might go on
// behind it.
TEST(MemoryHooks, TakeSmallBlocksThatNobodyTouchedForNoneOfWhatIsTakenByTheBreak) {
  constexpr std::int64_t kBlocks = 2'000;
  constexpr std::int64_t kEach = 48'000;
  constexpr std::int64_t kPage = 4096;
  say_what_is_beside();
  const std::int64_t before = sum_of("beta").resident();
  std::vector<void*> blocks(kBlocks);
  for (void*& block : blocks) block = beta_new(kEach);
  const Since alpha("alpha");
  void* const start = alpha_break(64 * kMega);
  touch(start, 64 * kMega);
  look_now();
  const std::int64_t untouched = sum_of("beta").resident() - before;
  const std::int64_t taken = alpha.seen();
  (void)alpha_break_at(start);
  EXPECT_NEAR(static_cast<double>(taken), 64 * kMega, 2 * kPage);
  EXPECT_LE(untouched, kBlocks * 2 * kPage + static_cast<std::int64_t>(kMega)) << "a page or two of each, for its ends";
  for (void* const block : blocks) beta_delete(block);
}

// Nobody looks but the hooks themselves, before the first of them goes. In a round that comes too soon
// after another look they may not.
TEST(MemoryHooks, FindThePeakOfWideSmallBlocksThatComeAndGoUnseen) {
  constexpr std::int64_t kBlocks = 3'000;
  constexpr std::int64_t kEach = 40'000;
  say_what_is_beside();
  const std::int64_t before = sum_of("alpha").resident();
  while (sum_of("alpha").most_resident < before + kBlocks * kEach * 99 / 100) {
    std::vector<void*> blocks;
    for (int i = 0; i < kBlocks; ++i) {
      blocks.push_back(alpha_malloc(kEach));
      touch(blocks.back(), std::size_t{kEach});
    }
    for (void* const block : blocks) alpha_free(block);
  }
  EXPECT_LE(sum_of("alpha").most_resident, before + kBlocks * kEach + static_cast<std::int64_t>(kMega));
}

}  // namespace
}  // namespace comity::memory
