// SPDX-License-Identifier: BSD-3-Clause
// Attribution of moments that are written down: what each component gets is known to the byte.
#include "memory/attribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace comity::memory {
namespace {

constexpr std::uint64_t kKiB = 1024;

std::optional<std::uint64_t> no_span(const os::Area&) { return std::nullopt; }
std::optional<os::PageCounts> no_pages(std::uint64_t, std::uint64_t) { return std::nullopt; }

struct Moment {
  std::string smaps;
  std::string rollup = {};
  std::string nodes = {};

  [[nodiscard]] Attribution told(const Ownership* ownership = nullptr, const CountPages& pages = no_pages,
                                 const ObjectSpan& span = no_span) const {
    Told told{.areas = os::parse_areas(smaps),
              .rollup = os::parse_rollup(rollup),
              .nodes = os::parse_node_pages(nodes),
              .thread_blocks = {}};
    const Components components;
    return attribute(std::move(told), components, span, pages, ownership);
  }
};

TEST(Attribution, FiguresOfAreasAddUpByComponent) {
  const Attribution told =
      Moment{.smaps =
                 "1000-2000 r-xp 0 fd:01 17 /opt/libmpi.so\nRss: 4 kB\nPss: 2 kB\nShared_Clean: 4 kB\n"
                 "2000-4000 rw-p 1000 fd:01 17 /opt/libmpi.so\nRss: 8 kB\nPss: 8 kB\nPrivate_Dirty: 8 kB\nSwap: 4 kB\n"
                 "5000-9000 rw-p 0 00:00 0\nRss: 16 kB\nPss: 16 kB\nLocked: 16 kB\n",
             .rollup = "Rss: 28 kB\nPss: 26 kB\n"}
          .told();
  EXPECT_EQ(told.of(Component::mpi).use.rss, 12 * kKiB);
  EXPECT_EQ(told.of(Component::mpi).use.pss, 10 * kKiB);
  EXPECT_EQ(told.of(Component::mpi).use.uss(), 8 * kKiB);
  EXPECT_EQ(told.of(Component::mpi).use.swap, 4 * kKiB);
  EXPECT_EQ(told.of(Component::mpi).virtual_bytes, 0x3000U);
  EXPECT_EQ(told.of(Component::anonymous).use.locked, 16 * kKiB);
  EXPECT_EQ(told.rss_residual(), 0);
  EXPECT_EQ(told.pss_residual(), 0);
}

// Three areas of which a third, two thirds and a half of a KiB were cut.
TEST(Attribution, WhatTheKernelCutFromSharesIsGivenBack) {
  Moment moment{.smaps =
                    "1000-2000 r--p 0 fd:01 17 /a\nRss: 4 kB\nPss: 1 kB\nShared_Clean: 4 kB\n"
                    "2000-3000 r--p 0 fd:01 18 /b\nRss: 4 kB\nPss: 1 kB\nShared_Clean: 4 kB\n"
                    "3000-4000 r-xp 0 fd:01 19 /opt/libmpi.so\nRss: 4 kB\nPss: 1 kB\nShared_Clean: 4 kB\n"
                    "5000-6000 rw-p 0 00:00 0\nRss: 4 kB\nPss: 4 kB\nPrivate_Dirty: 4 kB\n",
                .rollup = "Rss: 16 kB\nPss: 9 kB\n"};
  const Attribution told = moment.told();
  EXPECT_EQ(told.pss_residual(), 0);
  EXPECT_EQ(told.of(Component::anonymous).use.pss, 4 * kKiB) << "nothing was cut where all is its own";
  EXPECT_NEAR(static_cast<double>(told.of(Component::mpi).use.pss), 1024 + 2048 / 3.0, 2);
  moment.rollup = "Rss: 16 kB\nPss: 11 kB\n";
  EXPECT_EQ(moment.told().pss_residual(), 4 * 1024) << "more than can have been cut is another moment's";
}

TEST(Attribution, WhatChangedBetweenTwoReadsIsTheResidual) {
  const Attribution told = Moment{.smaps = "5000-9000 rw-p 0 00:00 0\nRss: 16 kB\nPss: 16 kB\nPrivate_Dirty: 16 kB\n",
                                  .rollup = "Rss: 20 kB\nPss: 12 kB\nPrivate_Dirty: 8 kB\n"}
                               .told();
  EXPECT_EQ(told.rss_residual(), 4096);
  EXPECT_EQ(told.pss_residual(), -4096);
  EXPECT_EQ(told.uss_residual(), -8192);
}

// Each of them had it whole, and the words between two blocks as much as a block.
TEST(Attribution, OfAPageInWhichPartsMeetEachHasWhatLiesInIt) {
  const Moment moment{.smaps = "10000-14000 rw-p 0 00:00 0\nRss: 8 kB\nPss: 8 kB\nPrivate_Dirty: 8 kB\n",
                      .rollup = "Rss: 8 kB\nPss: 8 kB\n"};
  Ownership ownership;
  ownership.ranges = {
      {0x10000, 0x12800, Component::mpi}, {0x12900, 0x12f00, Component::hdf5}, {0x12f00, 0x13800, Component::blas}};
  const auto pages = [](std::uint64_t start, std::uint64_t end) -> std::optional<os::PageCounts> {
    return os::PageCounts{.resident = (start <= 0x10000 && end > 0x10000 ? 1U : 0U) +
                                      (start <= 0x12000 && end > 0x12000 ? 1U : 0U)};
  };
  const Attribution told = moment.told(&ownership, pages);
  EXPECT_NEAR(static_cast<double>(told.of(Component::mpi).use.rss), 0x1800, 1);
  EXPECT_NEAR(static_cast<double>(told.of(Component::hdf5).use.rss), 0x600, 1);
  EXPECT_NEAR(static_cast<double>(told.of(Component::blas).use.rss), 0x100, 1);
  EXPECT_NEAR(static_cast<double>(told.of(Component::anonymous).use.rss), 0x100, 1);
  EXPECT_EQ(told.rss_residual(), 0);
}

TEST(Attribution, RecordedRangesHaveTheirPagesAndTheRestIsAnonymous) {
  // Eight pages, of which 2, 3 and 1 are resident in three parts.
  const Moment moment{.smaps = "10000-18000 rw-p 0 00:00 0\nRss: 24 kB\nPss: 24 kB\nPrivate_Dirty: 24 kB\nSwap: 8 kB\n",
                      .rollup = "Rss: 24 kB\nPss: 24 kB\n"};
  Ownership ownership;
  ownership.ranges = {
      {0x8000, 0x12000, Component::mpi}, {0x14000, 0x17000, Component::hdf5}, {0x20000, 0x21000, Component::blas}};
  const auto pages = [](std::uint64_t start, std::uint64_t end) -> std::optional<os::PageCounts> {
    if (start == 0x10000 && end == 0x12000) return os::PageCounts{.resident = 2};
    if (start == 0x12000 && end == 0x14000) return os::PageCounts{.resident = 0, .swapped = 2};
    if (start == 0x14000 && end == 0x17000) return os::PageCounts{.resident = 3};
    if (start == 0x17000 && end == 0x18000) return os::PageCounts{.resident = 1};
    ADD_FAILURE() << std::hex << start << '-' << end;
    return std::nullopt;
  };
  const Attribution told = moment.told(&ownership, pages);
  EXPECT_EQ(told.of(Component::mpi).use.rss, 8 * kKiB);
  EXPECT_EQ(told.of(Component::mpi).virtual_bytes, 0x2000U);
  EXPECT_EQ(told.of(Component::hdf5).use.rss, 12 * kKiB);
  EXPECT_EQ(told.of(Component::anonymous).use.rss, 4 * kKiB);
  EXPECT_EQ(told.of(Component::anonymous).use.swap, 8 * kKiB);
  EXPECT_EQ(told.of(Component::anonymous).virtual_bytes, 0x3000U);
  EXPECT_EQ(told.of(Component::blas).use.rss, 0U);
  EXPECT_EQ(told.rss_residual(), 0);
}

TEST(Attribution, WithoutPagesPartsCountByTheirSize) {
  const Moment moment{.smaps = "10000-14000 rw-p 0 00:00 0\nRss: 16 kB\n", .rollup = "Rss: 16 kB\n"};
  Ownership ownership;
  ownership.ranges = {{0x10000, 0x11000, Component::mpi}};
  EXPECT_EQ(moment.told(&ownership).of(Component::mpi).use.rss, 4 * kKiB);
}

Ownership small(std::uint64_t mpi_kib, std::uint64_t application_kib) {
  Ownership ownership;
  ownership.small_bytes[static_cast<std::size_t>(Component::mpi)] = mpi_kib * kKiB;
  ownership.small_bytes[static_cast<std::size_t>(Component::application)] = application_kib * kKiB;
  return ownership;
}

TEST(Attribution, TheHeapIsSharedOutByLiveBytes) {
  const Moment moment{.smaps = "10000-50000 rw-p 0 00:00 0 [heap]\nRss: 100 kB\nPss: 100 kB\n",
                      .rollup = "Rss: 100 kB\nPss: 100 kB\n"};
  EXPECT_EQ(moment.told().of(Component::heap).use.rss, 100 * kKiB) << "nobody recorded owners";
  const Ownership ownership = small(30, 50);
  const Attribution told = moment.told(&ownership);
  EXPECT_EQ(told.of(Component::mpi).use.rss, 30 * kKiB);
  EXPECT_EQ(told.of(Component::application).use.rss, 50 * kKiB);
  EXPECT_EQ(told.of(Component::heap_unused).use.rss, 20 * kKiB);
  EXPECT_EQ(told.of(Component::heap).use.rss, 0U);
}

TEST(Attribution, WhereLessIsResidentThanLiveAllGetLess) {
  const Moment moment{.smaps = "10000-50000 rw-p 0 00:00 0 [heap]\nRss: 40 kB\n", .rollup = "Rss: 40 kB\n"};
  const Ownership ownership = small(30, 50);
  const Attribution told = moment.told(&ownership);
  EXPECT_EQ(told.of(Component::mpi).use.rss, 15 * kKiB);
  EXPECT_EQ(told.of(Component::application).use.rss, 25 * kKiB);
  EXPECT_EQ(told.of(Component::heap_unused).use.rss, 0U);
}

TEST(Attribution, ALargeBlockInTheHeapIsNoPartOfWhatIsSharedOut) {
  const Moment moment{.smaps = "10000-20000 rw-p 0 00:00 0 [heap]\nRss: 64 kB\n", .rollup = "Rss: 64 kB\n"};
  Ownership ownership = small(16, 0);
  ownership.ranges = {{0x18000, 0x20000, Component::hdf5}};
  const Attribution told = moment.told(&ownership);
  EXPECT_EQ(told.of(Component::hdf5).use.rss, 32 * kKiB);
  EXPECT_EQ(told.of(Component::mpi).use.rss, 16 * kKiB);
  EXPECT_EQ(told.of(Component::heap_unused).use.rss, 16 * kKiB);
}

TEST(Attribution, WhatAnotherMallocMappedIsHeap) {
  const Moment moment{.smaps = "10000-20000 rw-p 0 00:00 0\nRss: 64 kB\n", .rollup = "Rss: 64 kB\n"};
  Ownership ownership = small(48, 0);
  ownership.ranges = {{0x10000, 0x20000, Component::allocator}};
  const Attribution told = moment.told(&ownership);
  EXPECT_EQ(told.of(Component::mpi).use.rss, 48 * kKiB);
  EXPECT_EQ(told.of(Component::heap_unused).use.rss, 16 * kKiB);
  EXPECT_EQ(told.of(Component::allocator).use.rss, 0U);
}

// What another malloc maps inside itself nobody sees, and its small blocks were told as anonymous.
TEST(Attribution, SmallBlocksOfAnotherMallocLieInMappingsOfNobodys) {
  const std::string mappings =
      "10000-20000 rw-p 0 00:00 0 [heap]\nRss: 8 kB\nPss: 8 kB\n"
      "100000-140000 rw-p 0 00:00 0\nRss: 100 kB\nPss: 100 kB\n";
  const std::string other_malloc = "200000-201000 r-xp 0 fd:01 17 /usr/lib/libjemalloc.so.2\nRss: 4 kB\nPss: 4 kB\n";
  const Ownership ownership = small(30, 50);
  const Attribution told =
      Moment{.smaps = mappings + other_malloc, .rollup = "Rss: 112 kB\nPss: 112 kB\n"}.told(&ownership);
  EXPECT_EQ(told.of(Component::mpi).use.rss, 30 * kKiB);
  EXPECT_EQ(told.of(Component::application).use.rss, 50 * kKiB);
  EXPECT_EQ(told.of(Component::anonymous).use.rss, 28 * kKiB) << "what it keeps cannot be told from others' mappings";
  EXPECT_EQ(told.of(Component::heap_unused).use.rss, 0U);
  EXPECT_EQ(told.rss_residual(), 0);
  const Attribution of_glibc = Moment{.smaps = mappings, .rollup = "Rss: 108 kB\nPss: 108 kB\n"}.told(&ownership);
  EXPECT_EQ(of_glibc.of(Component::anonymous).use.rss, 100 * kKiB) << "glibc's malloc has its heaps alone";
}

TEST(Attribution, AreasThatNobodyAskedForMayBePoolsOfAnotherMalloc) {
  const auto pools = [](const std::string& smaps) {
    const std::vector<UnaskedRange> ranges =
        unasked_ranges(os::parse_areas(smaps), {}, Components(), no_span, small(8, 0));
    return std::count_if(ranges.begin(), ranges.end(), [](const UnaskedRange& one) { return one.may_be_pool; });
  };
  const std::string mappings = "10000-20000 rw-p 0 00:00 0 [heap]\n100000-140000 rw-p 0 00:00 0\n";
  EXPECT_EQ(pools(mappings), 0);
  EXPECT_EQ(pools(mappings + "200000-201000 r-xp 0 fd:01 17 /usr/lib/libjemalloc.so.2\n"), 1);
}

TEST(Attribution, ObjectsStayWhatTheyAreWhoeverMappedThem) {
  const Moment moment{.smaps = "10000-20000 r-xp 0 fd:01 17 /opt/libhdf5.so\nRss: 64 kB\n", .rollup = "Rss: 64 kB\n"};
  Ownership ownership;
  ownership.ranges = {{0x10000, 0x20000, Component::mpi}};
  EXPECT_EQ(moment.told(&ownership).of(Component::hdf5).use.rss, 64 * kKiB);
}

TEST(Attribution, SegmentsAreSummedByFileAndNamedByWhoAskedForThem) {
  const Moment moment{.smaps =
                          "10000-11000 rw-s 0 00:01 5 /memfd:a (deleted)\nRss: 4 kB\nPss: 2 kB\n"
                          "20000-22000 rw-s 0 00:01 5 /memfd:a (deleted)\nRss: 8 kB\nPss: 4 kB\n"
                          "30000-31000 rw-s 0 00:01 6 /SYSV00000000 (deleted)\nRss: 4 kB\nPss: 4 kB\n"
                          "40000-41000 rw-s 0 00:01 7 /SYSV00000000 (deleted)\nRss: 4 kB\nPss: 4 kB\n",
                      .rollup = "Rss: 20 kB\nPss: 14 kB\n"};
  Ownership ownership;
  ownership.ranges = {{0x30000, 0x31000, Component::fabric}};
  const Attribution told = moment.told(&ownership);
  ASSERT_EQ(told.segments.size(), 3U);
  EXPECT_EQ(told.segments[0].name, "/SYSV00000000 (deleted)");
  EXPECT_EQ(told.segments[0].maker, Component::fabric);
  EXPECT_EQ(told.segments[1].maker, Component::shared) << "another segment of the same name";
  EXPECT_EQ(told.segments[2].use.rss, 12 * kKiB);
  EXPECT_EQ(told.segments[2].virtual_bytes, 0x3000U);
  EXPECT_EQ(told.of(Component::shared).use.rss, 16 * kKiB);
  EXPECT_EQ(told.of(Component::fabric).use.rss, 4 * kKiB);
}

// Who recorded a range counts its pages whole: what others have of them is told beside.
TEST(Attribution, WhatOthersShareOfRecordedMemoryIsTold) {
  const Moment moment{.smaps =
                          "10000-20000 rw-p 0 00:00 0 [heap]\nRss: 64 kB\nPss: 48 kB\n"
                          "30000-34000 rw-s 0 00:01 6 /SYSV00000000 (deleted)\nRss: 16 kB\nPss: 8 kB\n"
                          "40000-44000 rw-s 0 00:01 7 /SYSV00000000 (deleted)\nRss: 16 kB\nPss: 4 kB\n"
                          "50000-54000 r-xp 0 fd:01 17 /opt/libmpi.so\nRss: 16 kB\nPss: 8 kB\n",
                      .rollup = "Rss: 112 kB\nPss: 68 kB\n"};
  EXPECT_EQ(moment.told().of(Component::mpi).of_others, 0U) << "nobody recorded owners";
  Ownership ownership = small(16, 0);
  ownership.ranges = {{0x30000, 0x34000, Component::mpi}};
  const Attribution told = moment.told(&ownership);
  EXPECT_EQ(told.of(Component::mpi).of_others, (4 + 8) * kKiB) << "of its blocks and its segment, not of its object";
  EXPECT_EQ(told.of(Component::shared).of_others, 0U);
}

TEST(Attribution, PagesOfHugetlbAreNoPartOfTheResidentSum) {
  const Attribution told =
      Moment{.smaps =
                 "200000-600000 rw-p 0 00:0f 5 /anon_hugepage (deleted)\nPrivate_Hugetlb: 4096 kB\n"
                 "VmFlags: rd wr ht\n",
             .rollup = "Rss: 0 kB\nPrivate_Hugetlb: 4096 kB\n"}
          .told();
  EXPECT_EQ(told.of(Component::hugetlb).use.hugetlb(), 4096 * kKiB);
  EXPECT_EQ(told.sum().rss, 0U);
  EXPECT_EQ(told.rss_residual(), 0);
}

TEST(Attribution, NodesFollowThePages) {
  const Moment moment{
      .smaps = "10000-18000 rw-p 0 00:00 0\nRss: 32 kB\n30000-31000 rw-p 0 00:00 0 [heap]\nRss: 4 kB\n",
      .rollup = "Rss: 36 kB\n",
      .nodes =
          "10000 default anon=8 N0=6 N3=2 kernelpagesize_kB=4\n30000 default heap anon=1 N1=1 kernelpagesize_kB=4\n"};
  EXPECT_EQ(moment.told().of(Component::anonymous).nodes, (os::NodeBytes{{0, 24 * kKiB}, {3, 8 * kKiB}}));
  EXPECT_EQ(moment.told().of(Component::heap).nodes, (os::NodeBytes{{1, 4 * kKiB}}));
  Ownership ownership;
  ownership.ranges = {{0x10000, 0x14000, Component::mpi}};
  EXPECT_EQ(moment.told(&ownership).of(Component::mpi).nodes, (os::NodeBytes{{0, 12 * kKiB}, {3, 4 * kKiB}}));
}

TEST(Attribution, AnObjectsMemoryWithoutAFileIsItsOwn) {
  const Moment moment{.smaps =
                          "10000-11000 rw-p 0 fd:01 17 /opt/model\n11000-12000 r-xp 1000 fd:01 17 /opt/model\n"
                          "12000-1a000 rw-p 0 00:00 0\nRss: 32 kB\n",
                      .rollup = "Rss: 32 kB\n"};
  const Attribution told =
      moment.told(nullptr, no_pages, [](const os::Area&) { return std::optional<std::uint64_t>(0x4000); });
  EXPECT_EQ(told.of(Component::application).use.rss, 8 * kKiB);
  EXPECT_EQ(told.of(Component::anonymous).use.rss, 24 * kKiB);
}

}  // namespace
}  // namespace comity::memory
