// SPDX-License-Identifier: BSD-3-Clause
// The same of mappings, and of objects that come and go while the program runs.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <csignal>
#include <random>
#include <thread>
#include <vector>

#include "libraries.h"
#include "memory/hooks/since.hpp"
#include "memory/huge_pages.hpp"
#include "os/kernel_release.hpp"
#include "os/memory/mappings.hpp"

namespace comity::memory {
namespace {

constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
constexpr auto kPage = std::size_t{4096};

char* byte_of(void* start, std::size_t offset) { return static_cast<char*>(start) + offset; }

TEST(MemoryMappings, BelongToWhoMapsThem) {
  const Since alpha("alpha");
  const Since application("application");
  void* const start = alpha_map(nullptr, 8 * kMega, kPrivate, -1);
  EXPECT_EQ(alpha.ranges(), 8 * kMega);
  touch(start, 3 * kMega);  // whoever touches them
  look_now();
  EXPECT_EQ(alpha.seen(), 3 * kMega);
  EXPECT_EQ(application.ranges(), 0);
  EXPECT_EQ(munmap(start, 8 * kMega), 0);  // whoever unmaps them
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

TEST(MemoryMappings, MayLoseTheirEndsAndTheirMiddles) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 100 * kPage, kPrivate, -1);
  touch(start, 100 * kPage);
  look_now();
  EXPECT_EQ(alpha_unmap(start, 10 * kPage), 0);
  EXPECT_EQ(alpha_unmap(byte_of(start, 90 * kPage), 10 * kPage), 0);
  EXPECT_EQ(alpha_unmap(byte_of(start, 40 * kPage), 20 * kPage - 100), 0);
  EXPECT_EQ(alpha.ranges(), 60 * kPage);
  look_now();
  EXPECT_EQ(alpha.seen(), 60 * kPage);
  EXPECT_EQ(alpha_unmap(start, 100 * kPage), 0);  // with holes in it
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

// Nobody knows which pages went until the next look; but there never were more than were seen.
TEST(MemoryMappings, HaveNoMoreSeenWhenTheirMiddleGoes) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 100 * kPage, kPrivate, -1);
  touch(start, 40 * kPage);
  look_now();
  EXPECT_EQ(alpha.seen(), 40 * kPage);
  EXPECT_EQ(alpha_unmap(byte_of(start, 50 * kPage), kPage), 0);
  EXPECT_LE(alpha.seen(), 40 * kPage);
  look_now();
  EXPECT_EQ(alpha.seen(), 40 * kPage);
  EXPECT_EQ(alpha_unmap(start, 100 * kPage), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

// Each commits and gives back pages of one reservation, as allocators do.
TEST(MemoryMappings, MayBeCutByManyThreadsAtOnce) {
  constexpr int kThreads = 4;
  constexpr std::size_t kRounds = 200;
  const Since alpha("alpha");
  for (std::size_t round = 0; round < kRounds; ++round) {
    void* const start = alpha_map(nullptr, 2 * kThreads * kPage, kPrivate, -1);
    std::barrier together(kThreads);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        together.arrive_and_wait();
        EXPECT_EQ(alpha_unmap(byte_of(start, (2 * static_cast<std::size_t>(thread) + 1) * kPage), kPage), 0);
      });
    }
    threads.clear();
    EXPECT_EQ(alpha_unmap(start, 2 * kThreads * kPage), 0);
    ASSERT_EQ(alpha.ranges(), 0) << "round " << round;
  }
}

// Whose each page of a reservation is, as a list of pages would tell, whatever is mapped over it, unmapped and moved about in it.
class Pages {
 public:
  static constexpr std::size_t kCount = 6000;
  enum class Whose : std::uint8_t { nobodys, alphas, ours };

  Pages() : start_(static_cast<char*>(alpha_map(nullptr, kCount * kPage, kPrivate | MAP_NORESERVE, -1))) {}
  ~Pages() { munmap(start_, kCount * kPage); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void give(std::size_t first, std::size_t count, Whose to) {
    char* const at = start_ + first * kPage;
    if (to == Whose::alphas) alpha_map(at, count * kPage, kPrivate | MAP_FIXED, -1);
    if (to == Whose::ours) (void)mmap(at, count * kPage, PROT_READ, kPrivate | MAP_FIXED, -1, 0);
    if (to == Whose::nobodys) alpha_unmap(at, count * kPage);
    std::fill_n(whose_.begin() + static_cast<std::ptrdiff_t>(first), count, to);
  }
  [[nodiscard]] std::int64_t bytes_of(Whose whose) const {
    return std::count(whose_.begin(), whose_.end(), whose) * static_cast<std::int64_t>(kPage);
  }
  // As the ledger has them, page by page.
  [[nodiscard]] bool are_as_listed() const {
    std::vector<Whose> listed(kCount, Whose::nobodys);
    std::vector<LedgerRange> ranges(ledger().ranges(nullptr, 0));
    ranges.resize(std::min(ranges.size(), ledger().ranges(ranges.data(), ranges.size())));
    const auto begin = reinterpret_cast<std::uintptr_t>(start_);
    const std::uint32_t alpha = number_of("alpha");
    for (const LedgerRange& range : ranges) {
      if (range.is_block != 0 || range.start < begin || range.start >= begin + kCount * kPage) continue;
      const auto first = static_cast<std::ptrdiff_t>((range.start - begin) / kPage);
      std::fill_n(listed.begin() + first, range.bytes / kPage, range.component == alpha ? Whose::alphas : Whose::ours);
    }
    return listed == whose_;
  }

 private:
  char* start_;
  std::vector<Whose> whose_{std::vector<Whose>(kCount, Whose::alphas)};
};

TEST(MemoryMappings, AreWhoseEachPageIsAfterManyChanges) {
  constexpr std::size_t kLongest = 300;
  constexpr int kSteps = 10'000;
  const Since alpha("alpha");
  const Since application("application");
  std::minstd_rand random(1);
  {
    Pages pages;
    for (int step = 1; step <= kSteps; ++step) {
      const std::size_t count = 1 + random() % (random() % 16 == 0 ? kLongest : 4);
      pages.give(random() % (Pages::kCount - count), count, static_cast<Pages::Whose>(random() % 3));
      ASSERT_EQ(alpha.ranges(), pages.bytes_of(Pages::Whose::alphas)) << step;
      ASSERT_EQ(application.ranges(), pages.bytes_of(Pages::Whose::ours)) << step;
      if (step % 1000 == 0) {
        ASSERT_TRUE(pages.are_as_listed()) << step;
      }
    }
  }
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(application.ranges(), 0);
}

// Beyond 8,192 there was no place, and what nobody sees is nobody's.
TEST(MemoryMappings, HavePlacesForTenThousand) {
  constexpr std::size_t kMany = 10'000;
  const Since alpha("alpha");
  std::vector<void*> all;
  for (std::size_t i = 0; i < kMany; ++i) all.push_back(alpha_map(nullptr, 4 * kPage, kPrivate, -1));
  EXPECT_EQ(alpha.ranges(), kMany * 4 * kPage);
  for (void* const one : all) EXPECT_EQ(alpha_unmap(one, 4 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

LedgerHeld unplaced() {
  LedgerHeld all{};
  ledger().unplaced(&all);
  return all;
}

// Those beyond were anonymous, and nobody said so.
TEST(MemoryMappings, AreCountedWhereTheyFindNoPlace) {
  constexpr std::int64_t kPlaces = 16'384;
  constexpr std::int64_t kMany = 17'000;
  const Since alpha("alpha");
  const LedgerHeld before = unplaced();
  std::vector<void*> all;
  for (std::int64_t i = 0; i < kMany; ++i) all.push_back(alpha_map(nullptr, kPage, kPrivate, -1));
  const std::int64_t count = unplaced().blocks - before.blocks;
  EXPECT_GE(count, kMany - kPlaces);
  EXPECT_LE(count, kMany - kPlaces + 200) << "others have some too";
  EXPECT_EQ(unplaced().bytes - before.bytes, count * static_cast<std::int64_t>(kPage));
  EXPECT_EQ(alpha.ranges(), (kMany - count) * static_cast<std::int64_t>(kPage));
  for (void* const one : all) EXPECT_EQ(alpha_unmap(one, kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

std::atomic<int> handled{0};

void map_and_unmap(int /*signal*/) {
  const int before = errno;
  void* const start = alpha_map(nullptr, 20 * kPage, kPrivate, -1);
  if (start != MAP_FAILED) *byte_of(start, 0) = 1;
  if (start != MAP_FAILED && alpha_unmap(start, 20 * kPage) == 0) handled.fetch_add(1);
  errno = before;
}

// A handler may come while its own thread is in the hooks: it waits for nothing there, and loses nothing.
TEST(MemoryMappings, LoseNothingWithAHandlerThatComesAtAnyMoment) {
  constexpr int kTimes = 200;
  const Since alpha("alpha");
  struct sigaction ours {};
  struct sigaction before {};
  ours.sa_handler = &map_and_unmap;
  ours.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGALRM, &ours, &before), 0);
  const itimerval often{{0, 100}, {0, 100}};
  const itimerval never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  bool all_mapped = true;
  while (handled.load() < kTimes && all_mapped) {
    void* const start = alpha_map(nullptr, 30 * kPage, kPrivate, -1);
    all_mapped = start != MAP_FAILED;
    touch(start, kPage);
    free(alpha_malloc(100 * kPage));
    (void)ledger().look(1);
    all_mapped = all_mapped && alpha_unmap(start, 30 * kPage) == 0;
  }
  EXPECT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
  EXPECT_EQ(sigaction(SIGALRM, &before, nullptr), 0);
  EXPECT_TRUE(all_mapped);
  look_now();
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

// The child of vfork has this process's memory, and another program begins with hooks of its own.
TEST(MemoryMappings, StayAsTheyAreOverVforkAndExec) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 10 * kPage, kPrivate, -1);
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what is tested
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(alpha.ranges(), 10 * kPage);
  EXPECT_EQ(alpha_unmap(start, 10 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

TEST(MemoryMappings, StayWhereTheKernelRefuses) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 10 * kPage, kPrivate, -1);
  errno = 0;
  EXPECT_EQ(alpha_unmap(byte_of(start, 100), kPage), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(alpha_remap(start, 10 * kPage, 20 * kPage, 1 << 20, nullptr), MAP_FAILED);
  EXPECT_EQ(alpha_map(nullptr, SIZE_MAX / 2, kPrivate, -1), MAP_FAILED);
  EXPECT_EQ(alpha.ranges(), 10 * kPage);
  EXPECT_EQ(alpha_unmap(start, 10 * kPage), 0);
}

// They were forgotten before the kernel refused, and nothing put them back.
TEST(MemoryMappings, StayWhereTheKernelRefusesToCutThem) {
  constexpr std::size_t kParts = 65'530;  // as many as the kernel lets a process have, unless told otherwise
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 64 * kPage, kPrivate, -1);
  touch(start, 64 * kPage);
  look_now();
  void* const parts = mmap(nullptr, kParts * kPage, PROT_READ, kPrivate, -1, 0);
  ASSERT_NE(parts, MAP_FAILED);
  bool is_full = false;
  for (std::size_t i = 0; i < kParts && !is_full; i += 2)
    is_full = mprotect(byte_of(parts, i * kPage), kPage, PROT_NONE) != 0;
  const int result = is_full ? alpha_unmap(byte_of(start, 16 * kPage), 16 * kPage) : -1;
  const int error = errno;
  ASSERT_EQ(munmap(parts, kParts * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 64 * kPage);
  EXPECT_EQ(alpha.seen(), 64 * kPage);
  EXPECT_EQ(alpha_unmap(start, 64 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
  if (!is_full) GTEST_SKIP() << "NOT TESTED: this kernel lets a process have more mappings";
  EXPECT_EQ(result, -1);
  EXPECT_EQ(error, ENOMEM);
}

// A segment's end where none is forgot the mapping there.
TEST(MemoryMappings, StayWhereTheKernelRefusesToDetachThem) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 10 * kPage, kPrivate, -1);
  EXPECT_EQ(alpha_detach(start), -1);
  EXPECT_EQ(alpha.ranges(), 10 * kPage);
  EXPECT_EQ(alpha_unmap(start, 10 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

constexpr std::size_t kHugePage = 2 * kMega;
constexpr int kHugeOf2MiB = MAP_HUGETLB | 21 << 26;

// The part of one that was not asked for was nobody's; the kernel does not cut them, and they were forgotten where somebody tried.
void are_whole_huge_pages(int flags, int file) {
  const Since alpha("alpha");
  constexpr std::size_t kAsked = 2 * kHugePage + kMega;
  void* const start = alpha_map(nullptr, kAsked, flags, file);
  if (start == MAP_FAILED) GTEST_SKIP() << "NOT TESTED: there are no pages of hugetlbfs (root may add some)";
  EXPECT_EQ(alpha.ranges(), 3 * kHugePage);
  touch(start, kAsked);
  look_now();
  EXPECT_EQ(alpha.seen(), 3 * kHugePage);
  EXPECT_EQ(alpha_unmap(start, kAsked), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(alpha.ranges(), 3 * kHugePage);
  EXPECT_EQ(alpha.seen(), 3 * kHugePage);
  EXPECT_EQ(alpha_unmap(start, 3 * kHugePage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

TEST(MemoryMappings, OfHugePagesAreWhole) {
  const HugePages pages(3);
  are_whole_huge_pages(kPrivate | kHugeOf2MiB, -1);
}

TEST(MemoryMappings, OfHugePagesAreWholeWhereNobodyAsksForASize) {
  if (os::mapped_page_bytes(kPrivate | MAP_HUGETLB, -1) != kHugePage)
    GTEST_SKIP() << "NOT TESTED: they have another size here";
  const HugePages pages(3);
  are_whole_huge_pages(kPrivate | MAP_HUGETLB, -1);
}

TEST(MemoryMappings, OfFilesOfHugePagesAreWhole) {
  const HugePages pages(3);
  const int file = memfd_create("huge", MFD_HUGETLB | 21 << 26);
  if (file < 0) GTEST_SKIP() << "NOT TESTED: this kernel has no pages of hugetlbfs";
  ASSERT_EQ(ftruncate(file, 3 * kHugePage), 0);
  are_whole_huge_pages(MAP_SHARED, file);
  ASSERT_EQ(close(file), 0);
}

TEST(MemoryMappings, KeepTheirOwnerWhenTheyGrowOrMove) {
  const Since alpha("alpha");
  void* start = alpha_map(nullptr, 10 * kPage, kPrivate, -1);
  start = mremap(start, 10 * kPage, 5000 * kPage, MREMAP_MAYMOVE);  // the test's own call
  EXPECT_EQ(alpha.ranges(), 5000 * kPage);
  void* const place = mmap(nullptr, 200 * kPage, PROT_READ, kPrivate, -1, 0);
  start = alpha_remap(start, 5000 * kPage, 200 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  EXPECT_EQ(start, place);
  EXPECT_EQ(alpha.ranges(), 200 * kPage);
  EXPECT_EQ(alpha_unmap(start, 200 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

// Only one that began there was known: the second half of a mapping was nobody's once it had moved.
TEST(MemoryMappings, KeepTheirOwnerWhenAPartOfThemMoves) {
  const Since alpha("alpha");
  const Since application("application");
  void* const start = alpha_map(nullptr, 64 * kPage, kPrivate, -1);
  touch(start, 64 * kPage);
  look_now();
  void* const moved = mremap(byte_of(start, 32 * kPage), 32 * kPage, 48 * kPage, MREMAP_MAYMOVE);
  ASSERT_NE(moved, MAP_FAILED);
  EXPECT_EQ(alpha.ranges(), 80 * kPage);
  EXPECT_EQ(alpha.seen(), 64 * kPage) << "its pages have moved with it";
  EXPECT_EQ(application.ranges(), 0);
  EXPECT_EQ(alpha_unmap(moved, 48 * kPage), 0);
  EXPECT_EQ(alpha_unmap(start, 32 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

TEST(MemoryMappings, StayWhereTheKernelRefusesToMoveAPartOfThem) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 64 * kPage, kPrivate, -1);
  touch(start, 64 * kPage);
  look_now();
  EXPECT_EQ(alpha_remap(byte_of(start, 16 * kPage), 16 * kPage, 32 * kPage, 0, nullptr), MAP_FAILED);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(alpha.ranges(), 64 * kPage);
  EXPECT_EQ(alpha.seen(), 64 * kPage);
  EXPECT_EQ(alpha_unmap(start, 64 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

// Beyond sixteen parts were forgotten with the refusal, and nobody said so.
TEST(MemoryMappings, AreCountedWhereTheKernelRefusesToMoveMoreOfThemThanAreKept) {
  constexpr std::size_t kParts = 20, kKept = 16;
  const Since alpha("alpha");
  const Since application("application");
  void* const start = alpha_map(nullptr, kParts * kPage, kPrivate, -1);
  for (std::size_t i = 1; i < kParts; i += 2) {
    ASSERT_NE(mmap(byte_of(start, i * kPage), kPage, PROT_READ | PROT_WRITE, kPrivate | MAP_FIXED, -1, 0), MAP_FAILED);
  }
  EXPECT_EQ(alpha.ranges() + application.ranges(), kParts * kPage);
  const LedgerHeld before = unplaced();
  constexpr int kNoSuchFlag = 1 << 20;
  EXPECT_EQ(alpha_remap(start, kParts * kPage, 2 * kParts * kPage, kNoSuchFlag, nullptr), MAP_FAILED);
  EXPECT_EQ(alpha.ranges() + application.ranges(), kKept * kPage);
  EXPECT_EQ(unplaced().blocks - before.blocks, kParts - kKept);
  EXPECT_EQ(unplaced().bytes - before.bytes, (kParts - kKept) * kPage);
  EXPECT_EQ(alpha_unmap(start, kParts * kPage), 0);
  EXPECT_EQ(alpha.all(), 0);
  EXPECT_EQ(application.ranges(), 0);
}

// From Linux 5.7 on the old place may stay mapped.
TEST(MemoryMappings, StayWhereTheyWereWhereTheKernelKeepsThem) {
  constexpr int kDontUnmap = 4;
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 8 * kPage, kPrivate, -1);
  touch(start, 8 * kPage);
  look_now();
  void* const moved = alpha_remap(start, 8 * kPage, 8 * kPage, MREMAP_MAYMOVE | kDontUnmap, nullptr);
  const bool is_known = moved != MAP_FAILED;
  EXPECT_EQ(alpha.ranges(), (is_known ? 16 : 8) * kPage);
  EXPECT_EQ(alpha.seen(), 8 * kPage);
  if (is_known) {
    EXPECT_EQ(alpha_unmap(moved, 8 * kPage), 0);
  }
  EXPECT_EQ(alpha_unmap(start, 8 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
  if (!is_known) GTEST_SKIP() << "NOT TESTED: this kernel does not keep what is moved, which Linux does from 5.7 on";
}

TEST(MemoryMappings, AreOneMoreWhereTheKernelMapsWhatIsSharedOnceMore) {
  const Since alpha("alpha");
  void* const shared = alpha_map(nullptr, 8 * kPage, MAP_SHARED | MAP_ANONYMOUS, -1);
  void* const again = mremap(shared, 0, 8 * kPage, MREMAP_MAYMOVE);
  EXPECT_NE(again, MAP_FAILED);
  EXPECT_EQ(alpha.ranges(), 16 * kPage);
  EXPECT_EQ(alpha_unmap(shared, 8 * kPage), 0);
  EXPECT_EQ(alpha_unmap(again, 8 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

TEST(MemoryMappings, GiveWayToWhatIsMappedOverThem) {
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 100 * kPage, kPrivate, -1);
  void* const over = mmap(byte_of(start, 10 * kPage), 30 * kPage, PROT_READ, kPrivate | MAP_FIXED, -1, 0);
  EXPECT_EQ(over, byte_of(start, 10 * kPage));
  EXPECT_EQ(alpha.ranges(), 70 * kPage);
  EXPECT_EQ(alpha_unmap(start, 100 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

// The old mapping was forgotten before the kernel had answered, and its pages were nobody's from then on.
TEST(MemoryMappings, StayWhereTheKernelRefusesToMapOverThem) {
  const Since alpha("alpha");
  const Since application("application");
  void* const start = alpha_map(nullptr, 100 * kPage, kPrivate, -1);
  touch(start, 100 * kPage);
  errno = 0;
  EXPECT_EQ(mmap(byte_of(start, 10 * kPage), 30 * kPage, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0), MAP_FAILED);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(alpha.ranges(), 100 * kPage);
  EXPECT_EQ(application.ranges(), 0);
  look_now();
  EXPECT_EQ(alpha.seen(), 100 * kPage);
  EXPECT_EQ(alpha_unmap(start, 100 * kPage), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

// What another process has made resident of a segment is not resident in this one.
TEST(MemoryMappings, OfSegmentsHaveWhatThisProcessTouched) {
  const Since alpha("alpha");
  const int file = memfd_create("segment", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 8 * kMega), 0);
  void* const start = alpha_map(nullptr, 8 * kMega, MAP_SHARED, file);
  const pid_t child = fork();
  if (child == 0) {
    touch(start, 8 * kMega);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  look_now();
  EXPECT_EQ(alpha.seen(), 0);
  touch(start, 2 * kMega);
  look_now();
  EXPECT_GE(alpha.seen(), 2 * kMega);
  EXPECT_LE(alpha.seen(), 2 * kMega + 64 * 1024);  // pages are mapped ahead, where they are there
  EXPECT_EQ(alpha_unmap(start, 8 * kMega), 0);
  EXPECT_EQ(alpha.seen(), 0);
  close(file);
}

// The kernel has one page of zeros for all that is read before anybody writes: it is nobody's memory.
TEST(MemoryMappings, DoNotHaveWhatIsOnlyRead) {
  if (os::is_linux_before(6, 7)) GTEST_SKIP() << "NOT TESTED: Linux tells which pages were only read from 6.7 on";
  const Since alpha("alpha");
  void* const start = alpha_map(nullptr, 8 * kMega, kPrivate, -1);
  madvise(start, 8 * kMega, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < 8 * kMega; i += kPage) (void)*static_cast<volatile char*>(byte_of(start, i));
  look_now();
  EXPECT_EQ(alpha.seen(), 0);
  touch(start, 2 * kMega);
  look_now();
  EXPECT_EQ(alpha.seen(), 2 * kMega);
  look_now();
  EXPECT_EQ(alpha.seen(), 2 * kMega);
  EXPECT_EQ(alpha_unmap(start, 8 * kMega), 0);
  EXPECT_EQ(alpha.seen(), 0);
}

TEST(MemoryMappings, OfSystemVAreSegmentsToo) {
  const Since alpha("alpha");
  const int id = shmget(IPC_PRIVATE, 5 * kMega, IPC_CREAT | 0600);
  if (id < 0) GTEST_SKIP() << "this system has no segments of System V";
  void* const start = alpha_attach(id);
  shmctl(id, IPC_RMID, nullptr);
  ASSERT_NE(start, MAP_FAILED);
  EXPECT_EQ(alpha.ranges(), 5 * kMega);
  EXPECT_EQ(alpha_detach(start), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

// They were room that malloc's heap does not use. Nothing is asked of malloc meanwhile: it might go on behind them.
TEST(MemoryMappings, OfTheBreakBelongToWhoMovesIt) {
  const Since alpha("alpha");
  std::array<std::int64_t, 4> had{};
  char* const start = static_cast<char*>(alpha_break(3 * kMega));
  ASSERT_NE(start, reinterpret_cast<char*>(-1));
  had[0] = alpha.ranges();
  touch(start, 2 * kMega);
  look_now();
  had[1] = alpha.seen();
  (void)alpha_break(-static_cast<std::intptr_t>(2 * kMega));
  had[2] = alpha.ranges();
  const int result = alpha_break_at(start);
  had[3] = alpha.ranges();
  EXPECT_EQ(had[0], 3 * kMega);
  EXPECT_NEAR(static_cast<double>(had[1]), 2 * kMega, 2 * kPage);
  EXPECT_EQ(had[2], kMega);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(had[3], 0);
}

// Below the heap's start the kernel leaves the break where it is, and the C library calls that no error: all below it was lost.
TEST(MemoryMappings, OfTheBreakStayWhereTheKernelLeavesIt) {
  const Since alpha("alpha");
  std::array<std::int64_t, 3> had{};
  void* const start = alpha_break(3 * kMega);
  ASSERT_NE(start, reinterpret_cast<void*>(-1));
  (void)alpha_break_at(nullptr);
  had[0] = alpha.ranges();
  (void)alpha_break(-(std::intptr_t{1} << 42U));
  had[1] = alpha.ranges();
  const bool stays = alpha_break(0) == byte_of(start, 3 * kMega);
  (void)alpha_break_at(start);
  had[2] = alpha.ranges();
  EXPECT_TRUE(stays);
  EXPECT_EQ(had[0], 3 * kMega);
  EXPECT_EQ(had[1], 3 * kMega);
  EXPECT_EQ(had[2], 0);
}

TEST(MemoryMappings, OfPluginsAreSeenFromTheirFirstCallOn) {
  using Make = void* (*)(std::size_t);
  for (int round = 0; round < 3; ++round) {
    for (const char* const name : {"gamma", "delta"}) {
      const Since mine(name);
      void* const object = dlopen((std::string(COMITY_TEST_LIBRARIES "/libmemory_") + name + ".so").c_str(), RTLD_NOW);
      ASSERT_NE(object, nullptr) << dlerror();
      const auto map = reinterpret_cast<Make>(dlsym(object, "plugin_map"));
      const auto allocate = reinterpret_cast<Make>(dlsym(object, "plugin_malloc"));
      void* const start = map(2 * kMega);
      void* const block = allocate(1000);
      EXPECT_EQ(mine.ranges(), 2 * kMega) << name << round;
      EXPECT_EQ(mine.small(), 1000) << name << round;
      // Gone, and the next one comes where it was: what is known of its code must not count for that one.
      EXPECT_EQ(dlclose(object), 0);
      EXPECT_EQ(mine.ranges(), 2 * kMega);
      munmap(start, 2 * kMega);
      free(block);
      EXPECT_EQ(mine.all(), 0) << name << round;
    }
  }
}

// Where another thread was just looking what was seen was not forgotten, and who came to the same place was taken for who had gone.
TEST(MemoryMappings, OfPluginsThatComeInThePlaceOfOthersAreSeenWhoeverLooksMeanwhile) {
  using Make = void* (*)(std::size_t);
  constexpr const char* kFile = COMITY_TEST_LIBRARIES "/libmemory_gamma.so";
  for (int round = 0; round < 60; ++round) {
    void* const before = dlopen(kFile, RTLD_NOW);
    ASSERT_NE(before, nullptr) << dlerror();
    (void)ledger().look(0);
    std::atomic<bool> looks{false};
    {
      const std::jthread beside([&](const std::stop_token& stop) {
        for (; !stop.stop_requested(); looks = true) (void)ledger().look(0);
      });
      while (!looks) std::this_thread::yield();
      EXPECT_EQ(dlclose(before), 0);
    }
    void* const object = dlopen(kFile, RTLD_NOW);
    ASSERT_NE(object, nullptr) << dlerror();
    (void)ledger().look(0);
    const Since gamma("gamma");
    void* const start = reinterpret_cast<Make>(dlsym(object, "plugin_map"))(2 * kMega);
    EXPECT_EQ(gamma.ranges(), 2 * kMega) << round;
    EXPECT_EQ(munmap(start, 2 * kMega), 0);
    EXPECT_EQ(dlclose(object), 0);
  }
}

// Who registers himself while he is loaded is asked for no name: his mappings were nobody's until another object came.
TEST(MemoryMappings, OfPluginsThatNobodyAsksForANameAreSeenFromTheNextLookOn) {
  void* const object = dlopen(COMITY_TEST_LIBRARIES "/libmemory_registering.so", RTLD_NOW);
  ASSERT_NE(object, nullptr) << dlerror();
  const Since mine("registering");
  (void)ledger().look(0);  // as behind a call of MPI; whether it is due or not
  void* const start = alpha_map_by_registered(2 * kMega);
  EXPECT_EQ(mine.ranges(), 2 * kMega);
  EXPECT_EQ(munmap(start, 2 * kMega), 0);
  EXPECT_EQ(mine.ranges(), 0);
  EXPECT_EQ(dlclose(object), 0);
}

// It is mapped already, and the linker still at its table, when another library has all objects looked at.
TEST(MemoryMappings, OfObjectsThatWereNotReadyAreSeenOnceTheyAre) {
  for (const std::string& name : std::vector<std::string>{"chooser", "late_chooser"}) {
    void* const object = dlopen((COMITY_TEST_LIBRARIES "/libmemory_" + name + ".so").c_str(), RTLD_NOW);
    ASSERT_NE(object, nullptr) << dlerror();
    auto* const map = reinterpret_cast<void* (*)(std::size_t)>(dlsym(object, "chooser_map"));
    auto* const choose = reinterpret_cast<int (*)()>(dlsym(object, "chooser_choose"));
    EXPECT_EQ(choose(), 8);
    const Since chooser(name.c_str());
    void* const start = map(3 * kMega);
    EXPECT_EQ(chooser.ranges(), 3 * kMega) << name;
    EXPECT_EQ(munmap(start, 3 * kMega), 0);
    EXPECT_EQ(dlclose(object), 0);
  }
}

// The linker searches the folders that the calling library names, which the program does not.
TEST(MemoryMappings, LeaveTheSearchForLibrariesToTheirCaller) {
  EXPECT_EQ(dlopen("libmemory_inner.so", RTLD_NOW), nullptr);
  void* const object = alpha_load("libmemory_inner.so");
  ASSERT_NE(object, nullptr) << dlerror();
  EXPECT_EQ(dlclose(object), 0);
}

// So do those who stand before others and search for the next one: they would find themselves, and call themselves for ever.
TEST(MemoryMappings, LeaveTheSearchForTheNextFunctionToItsCaller) {
  EXPECT_NE(dlsym(RTLD_DEFAULT, "alpha_malloc"), nullptr);
  EXPECT_EQ(alpha_next("alpha_malloc"), nullptr);
}

}  // namespace
}  // namespace comity::memory
