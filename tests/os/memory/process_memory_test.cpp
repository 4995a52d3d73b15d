// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of processes that live: this one, children that end, others'.
#include "os/memory/process_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "os/kernel.hpp"
#include "os/kernel_release.hpp"
#include "os/memory/pages.hpp"
#include "os/memory/pss_sum.hpp"
#include "os/memory/thread_blocks.hpp"
#include "os/proc.hpp"

namespace comity::os {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20U;
constexpr const char* kTellsNoZeroPages = "NOT TESTED: Linux tells which pages were only read from 6.7 on";
constexpr std::size_t kLate = 1 << 20U;  // older kernels count some pages of each thread later

// Memory of this test, private or shared, gone at its end.
class Mapped {
 public:
  explicit Mapped(int flags) : start_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0)) {
    ::madvise(start_, kBytes, MADV_NOHUGEPAGE);
  }
  ~Mapped() { ::munmap(start_, kBytes); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  void touch(std::size_t bytes) const { std::memset(start_, 1, bytes); }
  [[nodiscard]] std::uint64_t start() const { return reinterpret_cast<std::uint64_t>(start_); }

 private:
  void* start_;
};

// The area that holds an address.
Area area_at(const ProcessMemory& memory, std::uint64_t address) {
  const auto areas = memory.areas();
  const auto found = std::find_if(areas->begin(), areas->end(),
                                  [&](const Area& area) { return area.start <= address && address < area.end; });
  return found == areas->end() ? Area{} : *found;
}

TEST(ProcessMemory, OfThisProcessCountsWhatIsTouched) {
  const ProcessMemory memory(::getpid());
  const Mapped mapped(MAP_SHARED);
  mapped.touch(kBytes / 2);
  const Area area = area_at(memory, mapped.start());
  EXPECT_TRUE(area.shared);
  EXPECT_EQ(area.use.rss, kBytes / 2);
  EXPECT_EQ(area.use.uss(), kBytes / 2);
  const auto before = memory.totals();
  mapped.touch(kBytes);
  const auto after = memory.totals();
  EXPECT_NEAR(static_cast<double>(after->resident - before->resident), kBytes / 2.0, kLate);
  EXPECT_GE(after->peak_resident, after->resident);
}

TEST(ProcessMemory, TheSumIsThatOfTheAreas) {
  const ProcessMemory memory(::getpid());
  const Mapped mapped(MAP_PRIVATE);
  mapped.touch(kBytes);
  PageUse sum;
  const auto before = memory.rollup();
  const auto areas = memory.areas();
  for (const Area& area : *areas) sum += area.use;
  const auto after = memory.rollup();  // reading needs memory too, with sanitizers much of it
  EXPECT_GE(sum.rss + kLate, before->rss);
  EXPECT_LE(sum.rss, after->rss + kLate);
  EXPECT_GT(after->pss, 0U);
}

TEST(ProcessMemory, PagesLieOnNodesThatNumaMapsNames) {
  const ProcessMemory memory(::getpid());
  const Mapped mapped(MAP_PRIVATE);
  mapped.touch(kBytes);
  const std::uint64_t start = area_at(memory, mapped.start()).start;
  const auto nodes = memory.node_pages();
  ASSERT_TRUE(nodes);
  if (nodes->empty()) GTEST_SKIP() << "NOT TESTED: this kernel knows no nodes";
  const auto area =
      std::find_if(nodes->begin(), nodes->end(), [&](const AreaNodes& each) { return each.start == start; });
  ASSERT_NE(area, nodes->end());
  std::uint64_t bytes = 0;
  for (const auto& [node, here] : area->bytes) bytes += here;
  EXPECT_GE(bytes, kBytes);
}

TEST(ProcessMemory, AProcessThatIsNotThereIsNotFound) {
  try {
    const ProcessMemory memory(2147483647);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_found);
    EXPECT_NE(std::string(error.what()).find("process 2147483647: there is no such process"), std::string::npos);
  }
}

TEST(ProcessMemory, AProcessThatEndsIsAnOrdinaryAnswer) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const ProcessMemory memory(child);
  EXPECT_TRUE(memory.totals());
  EXPECT_TRUE(memory.areas());
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);  // it is a zombie
  EXPECT_FALSE(memory.totals());
  EXPECT_FALSE(memory.areas());
  EXPECT_FALSE(memory.rollup());
  EXPECT_FALSE(memory.node_pages());
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);  // it is gone
  EXPECT_FALSE(memory.totals());
  EXPECT_FALSE(memory.areas());
}

// Any user may read the totals of root's first process; its areas root alone.
TEST(ProcessMemory, AProcessThatMayNotBeLookedAtIsAnErrorThatSaysWhatToDo) {
  if (::getuid() != 0) GTEST_SKIP() << "NOT TESTED: only root can become somebody else";
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    if (::setresgid(65534, 65534, 65534) == 0 && ::setresuid(65534, 65534, 65534) == 0) {
      const ProcessMemory memory(parent);
      const bool told = memory.totals().has_value();
      try {
        (void)memory.areas();
      } catch (const Error& error) {
        code = told && std::string(error.what()).find("ask as the user who runs it, or as root") != std::string::npos
                   ? 0
                   : 2;
      }
    }
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ProcessMemory, AThreadOfTheKernelHasNone) {
  const auto stat = read_text("/proc/2/stat");
  if (!stat || stat->find("(kthreadd)") == std::string::npos)
    GTEST_SKIP() << "NOT TESTED: threads of the kernel are not seen here";
  const ProcessMemory memory(2);
  EXPECT_THROW((void)memory.totals(), Error);
  EXPECT_THROW((void)memory.areas(), Error);
}

TEST(Pages, PagemapTellsWhoseAndMincoreHowMany) {
  const Pagemap pagemap(::getpid());
  const Mapped own(MAP_PRIVATE);
  const Mapped shared(MAP_SHARED);
  own.touch(kBytes / 4);
  shared.touch(kBytes / 2);
  const std::uint64_t pages = kBytes / page_bytes();
  const auto of_own = pagemap.count(own.start(), own.start() + kBytes);
  const auto of_shared = pagemap.count(shared.start(), shared.start() + kBytes);
  ASSERT_TRUE(of_own && of_shared);
  EXPECT_EQ(of_own->resident, pages / 4);
  EXPECT_EQ(of_own->exclusive, pages / 4);
  EXPECT_EQ(of_own->file, 0U);
  EXPECT_EQ(of_shared->resident, pages / 2);
  EXPECT_EQ(of_shared->file, pages / 2);
  EXPECT_EQ(pages_in_core(own.start(), own.start() + kBytes), pages / 4);
  EXPECT_EQ(pagemap.count(own.start() + 100, own.start() + 200)->resident, 1U) << "whole pages";
}

// A page in which two parts meet counts once.
TEST(Pages, MincoreCountsOfBorderPagesWhatLiesInThePart) {
  const Mapped own(MAP_PRIVATE);
  const std::uint64_t page = page_bytes();
  own.touch(2 * page);
  const std::uint64_t start = own.start();
  EXPECT_EQ(bytes_in_core(start, start + kBytes), 2 * page);
  EXPECT_EQ(bytes_in_core(start + 100, start + page + 300), page + 200);
  EXPECT_EQ(bytes_in_core(start + 100, start + 300), 200U);
  EXPECT_EQ(bytes_in_core(start + page, start + page + 1), 1U);
  EXPECT_EQ(bytes_in_core(start + page + 100, start + 2 * page + 300), page - 100);
  EXPECT_EQ(bytes_in_core(start + 2 * page + 1, start + 3 * page - 1), 0U);
  EXPECT_EQ(bytes_in_core(start + 100, start + 100), 0U);
}

// The kernel has one page of zeros for all that is read before anybody writes.
TEST(Pages, WhatWasOnlyReadIsNotResident) {
  const Pagemap pagemap(::getpid());
  const Mapped own(MAP_PRIVATE);
  const std::uint64_t pages = kBytes / page_bytes();
  own.touch(kBytes / 4);
  for (std::uint64_t i = 0; i < pages; ++i) (void)*reinterpret_cast<volatile char*>(own.start() + i * page_bytes());
  ASSERT_EQ(pages_in_core(own.start(), own.start() + kBytes), pages);
  if (is_linux_before(6, 7)) GTEST_SKIP() << kTellsNoZeroPages;
  EXPECT_EQ(pagemap.zero_pages(own.start(), own.start() + kBytes), pages - pages / 4);
  EXPECT_EQ(pagemap.zero_pages(own.start(), own.start() + kBytes / 4), 0U);
  EXPECT_EQ(pagemap.count(own.start(), own.start() + kBytes)->resident, pages / 4);
}

// One page in two: more parts than are asked for at once.
TEST(Pages, WhatWasOnlyReadIsFoundInPieces) {
  const Pagemap pagemap(::getpid());
  const Mapped own(MAP_PRIVATE);
  const std::uint64_t pages = kBytes / page_bytes();
  for (std::uint64_t i = 0; i < pages; ++i) {
    auto* const at = reinterpret_cast<volatile char*>(own.start() + i * page_bytes());
    if (i % 2 == 0) {
      (void)*at;
    } else {
      *at = 1;
    }
  }
  if (is_linux_before(6, 7)) GTEST_SKIP() << kTellsNoZeroPages;
  EXPECT_EQ(pagemap.zero_pages(own.start(), own.start() + kBytes), pages / 2);
}

TEST(Pages, ARangeThatIsNotMappedHasNone) {
  std::uint64_t start = 0;
  {
    const Mapped mapped(MAP_PRIVATE);
    start = mapped.start();
  }
  EXPECT_FALSE(pages_in_core(start, start + kBytes));
}

TEST(OwnStatm, FollowsWhatIsTouched) {
  const OwnStatm statm;
  const Mapped mapped(MAP_PRIVATE);
  const auto before = statm.read();
  mapped.touch(kBytes);
  const auto after = statm.read();
  ASSERT_TRUE(before && after);
  EXPECT_NEAR(static_cast<double>(after->resident_bytes - before->resident_bytes), static_cast<double>(kBytes), kLate);
}

bool is_nothing(std::string_view /*name*/) noexcept { return false; }

// How far the sum is, where memory is touched, from what is touched and from what the kernel says of all.
std::uint64_t distance_of_pss_sum() {
  const auto between = [](std::uint64_t one, std::uint64_t other) {
    return std::max(one, other) - std::min(one, other);
  };
  const Mapped mapped(MAP_PRIVATE);
  const auto before = own_pss_without(&is_nothing);
  mapped.touch(kBytes);
  const auto after = own_pss_without(&is_nothing);
  const auto rollup = ProcessMemory(::getpid()).rollup();
  if (!before || !after || !rollup) return kBytes;
  return std::max(between(*after, *before + kBytes), between(*after, rollup->pss));
}

// Parts of the code of libraries come and go with other processes that have it: the best of some tries.
TEST(PssSum, OfThisProcessFollowsWhatIsTouched) {
  std::uint64_t least = kBytes;
  for (int tries = 0; tries < 20 && least > kLate; ++tries) least = std::min(least, distance_of_pss_sum());
  EXPECT_LE(least, kLate);
}

TEST(ThreadBlocks, LieInTheStacksOfThreads) {
  std::uint64_t on_stack = 0;
  std::vector<std::uint64_t> blocks;
  std::thread([&] {
    on_stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    blocks = thread_blocks(::getpid());
    const Area stack = area_at(ProcessMemory(::getpid()), on_stack);
    EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(),
                            [&](std::uint64_t block) { return stack.start <= block && block < stack.end; }));
  }).join();
  EXPECT_EQ(blocks.size(), 1U) << "not of the main thread";
}

}  // namespace
}  // namespace comity::os
