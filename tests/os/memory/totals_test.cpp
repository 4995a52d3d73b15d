// SPDX-License-Identifier: BSD-3-Clause
// The texts of statm, status, meminfo and numa_maps.
#include "os/memory/totals.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "os/memory/node_pages.hpp"

namespace comity::os {
namespace {

TEST(Statm, CountsPages) {
  const auto statm = parse_statm("730 446 419 5 0 89 0\n", 4096);
  ASSERT_TRUE(statm);
  EXPECT_EQ(statm->virtual_bytes, 730U * 4096);
  EXPECT_EQ(statm->resident_bytes, 446U * 4096);
  EXPECT_EQ(statm->shared_bytes, 419U * 4096);
}

TEST(Statm, OtherTextIsNone) {
  for (const std::string_view text : {"", "730", "730 446\n419", "730 -1 4", "18446744073709551615 1 1"})
    EXPECT_FALSE(parse_statm(text, 4096)) << text;
}

constexpr std::string_view kStatus418 =
    "Name:\tmodel\nState:\tS (sleeping)\nVmPeak:\t    2920 kB\nVmSize:\t    2910 kB\nVmLck:\t       1 kB\nVmPin:\t     "
    "  2 kB\n"
    "VmHWM:\t    1784 kB\nVmRSS:\t    1780 kB\nRssAnon:\t     108 kB\nRssFile:\t    1676 kB\nRssShmem:\t       3 kB\n"
    "VmData:\t     224 kB\nVmStk:\t     132 kB\nVmExe:\t      20 kB\nVmLib:\t    1528 kB\nVmPTE:\t      44 "
    "kB\nVmSwap:\t       5 kB\n"
    "HugetlbPages:\t    2048 kB\nThreads:\t1\n";

TEST(Totals, EveryFieldIsRead) {
  const auto totals = parse_totals(kStatus418);
  ASSERT_TRUE(totals);
  constexpr std::array<std::uint64_t, 16> kKib{2920, 2910, 1,   2,  1784, 1780, 108, 1676,
                                               3,    224,  132, 20, 1528, 44,   5,   2048};
  for (std::size_t i = 0; i < kTotalFields.size(); ++i)
    EXPECT_EQ((*totals).*kTotalFields[i].bytes, kKib[i] * 1024) << kTotalFields[i].name;
}

TEST(Totals, AProcessWithoutMemoryHasNone) {
  EXPECT_FALSE(parse_totals("Name:\tkthreadd\nState:\tS (sleeping)\nThreads:\t1\n"));
}

TEST(Totals, AFigureThatIsNoneIsAnError) {
  EXPECT_THROW((void)parse_totals("VmRSS:\t lots kB\n"), Error);
  EXPECT_THROW((void)parse_totals("VmRSS:\t 12\n"), Error);
}

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

// Mapped, touched, and gone again.
void have_for_a_moment(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(start, MAP_FAILED);
  for (std::size_t i = 0; i < size; i += 4096) static_cast<volatile char*>(start)[i] = 1;
  ::munmap(start, size);
}

constexpr std::int64_t kBefore = 256 * kMiB;  // of the program that becomes another one
constexpr const char* kIsTheOther = "COMITY_TEST_IS_THE_OTHER";

[[noreturn]] void become_another_program() {
  have_for_a_moment(kBefore);
  ::setenv(kIsTheOther, "1", 1);
  ::execl("/proc/self/exe", "test", "--gtest_filter=HighWater.*", nullptr);
  ::_exit(1);
}

// What getrusage tells is handed on over exec: a peak below it was none.
TEST(HighWater, IsThatOfThisProgramAlone) {
  if (::getenv(kIsTheOther) == nullptr) {
    const pid_t child = ::fork();
    if (child == 0) become_another_program();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return;
  }
  const std::int64_t begin = own_high_water_bytes();
  EXPECT_GT(begin, 0);
  EXPECT_LT(begin, kBefore);
  have_for_a_moment(kBefore / 8);  // a sanitizer has some more for it
  const std::int64_t below = own_high_water_bytes();
  EXPECT_GE(below, kBefore / 8);
  EXPECT_LT(below, kBefore);
  have_for_a_moment(kBefore * 5 / 4);
  EXPECT_GE(own_high_water_bytes(), kBefore * 5 / 4);
}

TEST(NodeTotals, MeminfoIsRead) {
  const NodeTotals totals = parse_node_totals(
      "MemTotal:       24684100 kB\nMemFree:        22239064 kB\nActive(anon):      12040 kB\nActive:          1052360 "
      "kB\n"
      "HugePages_Total:       0\nHugetlb:            2048 kB\nCommitted_AS:     193436 kB\n");
  EXPECT_EQ(totals.total, 24684100ULL * 1024);
  EXPECT_EQ(totals.free, 22239064ULL * 1024);
  EXPECT_EQ(totals.active, 1052360U * 1024);
  EXPECT_EQ(totals.hugetlb, 2048U * 1024);
  EXPECT_EQ(totals.committed, 193436U * 1024);
}

TEST(NodeTotals, ThisNodeHasMemory) {
  const NodeTotals now = node_totals();
  EXPECT_GT(now.total, now.free);
  EXPECT_GT(now.free, 0U);
}

TEST(NodePages, PagesOfSeveralNodesAndSizesAreCounted) {
  const auto areas = parse_node_pages(
      "7f749d0aa000 bind:0 anon=25600 dirty=25600 active=0 N0=18602 N1=6998 kernelpagesize_kB=4\n"
      "00400000 default file=/opt/my\\040model mapped=2 mapmax=20 N3=2 kernelpagesize_kB=4\n"
      "2aaaaac00000 prefer:1 file=/anon_hugepage\\040(deleted) huge anon=4 dirty=4 N1=4 kernelpagesize_kB=2048\n"
      "7f5000000000 interleave:0-3 stack anon=4 dirty=4 N12=4 kernelpagesize_kB=64\n"
      "7ffc5f148000 default\n"
      "7ffc5f14a000 weighted interleave:0-1 anon=1 N0=0 N2=1 kernelpagesize_kB=4\n");
  ASSERT_EQ(areas.size(), 6U);
  EXPECT_EQ(areas[0].start, 0x400000U) << "by address";
  EXPECT_EQ(areas[0].bytes, (NodeBytes{{3, 2U * 4096}}));
  EXPECT_EQ(areas[1].bytes, (NodeBytes{{1, 4U * 2048 * 1024}}));
  EXPECT_EQ(areas[2].bytes, (NodeBytes{{12, 4U * 65536}}));
  EXPECT_EQ(areas[3].bytes, (NodeBytes{{0, 18602U * 4096}, {1, 6998U * 4096}}));
  EXPECT_TRUE(areas[4].bytes.empty());
  EXPECT_EQ(areas[5].bytes, (NodeBytes{{2, 4096}})) << "a node without pages is left out";
}

TEST(NodePages, ANameOfAFileIsNoNode) {
  const auto areas = parse_node_pages("1000 default file=/N0=7 N=3 Nx=3 mapped=1 N1=1 kernelpagesize_kB=4\n");
  EXPECT_EQ(areas.front().bytes, (NodeBytes{{1, 4096}}));
}

TEST(NodePages, ALineThatMakesNoSenseIsAnError) {
  EXPECT_THROW((void)parse_node_pages("what default N0=1\n"), Error);
  EXPECT_THROW((void)parse_node_pages("1000 default N0=18446744073709551615 kernelpagesize_kB=4\n"), Error);
  EXPECT_THROW((void)parse_node_pages("1000 default N0=1 kernelpagesize_kB=x\n"), Error);
}

}  // namespace
}  // namespace comity::os
