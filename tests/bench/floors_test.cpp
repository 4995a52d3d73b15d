// SPDX-License-Identifier: BSD-3-Clause
// The floors that bench quo holds its figures against: which threads a push has moved, what the raw calls do, what memory counts.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "capi/two_cpus.hpp"
#include "common/system_calls.hpp"
#include "common/timing.hpp"
#include "faults/refusal.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"
#include "quo/memory.hpp"
#include "quo/threads.hpp"

namespace bench::quo {
namespace {

cpu_set_t set_of(const comity::CpuSet& mask) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (mask.contains(cpu)) CPU_SET(cpu, &set);
  }
  return set;
}

using MovedThreads = comity::testing::OnTwoCpus;

TEST_F(MovedThreads, AreThoseWhoseMaskHasChanged) {
  const pid_t me = comity::os::this_thread();
  const auto before = masks_of_all_threads();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before.front().id, me);
  EXPECT_TRUE(moved_threads(before, masks_of_all_threads()).empty());

  ASSERT_EQ(comity::os::set_affinity(0, second_), 0);
  const auto moved = moved_threads(before, masks_of_all_threads());
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved.front().id, me);
  const cpu_set_t after = set_of(second_);
  EXPECT_TRUE(CPU_EQUAL(&moved.front().before, &before.front().mask));
  EXPECT_TRUE(CPU_EQUAL(&moved.front().after, &after));
  ASSERT_EQ(comity::os::set_affinity(0, both()), 0);
}

TEST_F(MovedThreads, AreMovedThereAndBackByTheFloor) {
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  pid_t other = 0;
  std::thread sleeper([&] {
    other = comity::os::this_thread();
    char word = 0;
    EXPECT_EQ(::read(gate[0], &word, 1), 1);
  });
  while (masks_of_all_threads().size() < 2) std::this_thread::yield();
  const auto masks = masks_of_all_threads();
  const pid_t id = masks[0].id == ::getpid() ? masks[1].id : masks[0].id;
  ASSERT_EQ(comity::os::set_affinity(id, first_), 0);
  move_there_and_back({{id, set_of(second_), set_of(first_)}});
  EXPECT_EQ(comity::os::affinity(id), second_) << "back, to what it had before";
  EXPECT_EQ(::write(gate[1], "x", 1), 1);
  sleeper.join();
  EXPECT_EQ(id, other);
}

void spin_for(double time_ns) {
  const double end_ns = now_ns() + time_ns;
  while (now_ns() < end_ns) continue;
}

// A cheap half hides no dear one.
TEST(Halves, AreTimedEachByItself) {
  constexpr double kCall_ns = 1e6, kUndo_ns = 2e6;
  std::string order;
  const double start_ns = now_ns();
  const HalfTimes times = time_halves(
      3, [&] { order += 'c', spin_for(kCall_ns); }, [&] { order += 'u', spin_for(kUndo_ns); });
  EXPECT_LE(3 * (times.call_ns + times.undo_ns), now_ns() - start_ns);
  EXPECT_GE(times.call_ns, kCall_ns);
  EXPECT_GE(times.undo_ns, kUndo_ns);
  EXPECT_EQ(order, "cucucu");
}

// Much beside the code of libraries, of which this process has a greater or smaller part as others come and go.
TEST(MemoryKb, CountsWhatIsTouchedByThisProcessAndItsPartOfWhatIsShared) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  constexpr double kKb = kBytes / 1024.0;
  constexpr double kNear_kb = kKb / 16;
  constexpr std::size_t kPage = 4096;
  void* const pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::array<int, 2> go{}, done{};
  ASSERT_EQ(::pipe(go.data()) + ::pipe(done.data()), 0);
  const pid_t other = ::fork();
  ASSERT_GE(other, 0);
  if (other == 0) {
    char word = 0;
    (void)!::read(go[0], &word, 1);
    for (std::size_t at = 0; at < kBytes; at += kPage) word = static_cast<volatile const char*>(pages)[at];
    (void)!::write(done[1], &word, 1);
    (void)!::read(go[0], &word, 1);
    ::_exit(0);
  }
  (void)memory_kb();
  const double before_kb = memory_kb();
  EXPECT_NEAR(memory_kb() - before_kb, 0, kNear_kb) << "not before it is touched";
  std::memset(pages, 1, kBytes);
  ASSERT_EQ(::mprotect(pages, kBytes, PROT_READ), 0);
  EXPECT_NEAR(memory_kb() - before_kb, kKb, kNear_kb) << "also what is only read";
  char word = 0;
  EXPECT_EQ(::write(go[1], &word, 1), 1);
  EXPECT_EQ(::read(done[0], &word, 1), 1);
  EXPECT_NEAR(memory_kb() - before_kb, kKb / 2, kNear_kb) << "the other has its half";
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  for (const int end : {go[0], go[1], done[0], done[1]}) ::close(end);
  ::munmap(pages, kBytes);
}

// By which own_memory_kb() grows when 8 MB of new memory are written, which others may share or not.
double own_growth_kb(int sharing) {
  constexpr std::size_t kBytes = std::size_t{8} << 20U;
  (void)own_memory_kb();
  const double before_kb = own_memory_kb();
  void* const pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return -1;
  std::memset(pages, 1, kBytes);
  const double grown_kb = own_memory_kb() - before_kb;
  ::munmap(pages, kBytes);
  return grown_kb;
}

// What a step of three calls is counted as, in a process to which a request of ptrace is refused; as its exit code.
int counted_without(std::uint32_t request) {
  constexpr int kNone = 100, kNoFilter = 101;
  const pid_t process = ::fork();
  if (process == 0) {
    if (!comity::testing::refuse({SYS_ptrace, EPERM, comity::testing::Argument{0, request}})) ::_exit(kNoFilter);
    const auto calls = bench::count_system_calls([] {
      for (int i = 0; i < 3; ++i) (void)::syscall(SYS_gettid);
    });
    ::_exit(calls.value_or(kNone));
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As before Linux 5.3, or where nobody may trace: the step is done, and nobody waits for a count.
TEST(SystemCalls, OfWhichTheKernelDoesNotTellAreNotCounted) {
  constexpr std::uint32_t kNoSuchRequest = 0x7FFF;
  const int counted = counted_without(kNoSuchRequest);
  if (counted != 3)
    GTEST_SKIP() << "NOT TESTED: no filter can be set, or no process be traced here (" << counted << ")";
  for (const auto request : {PTRACE_GET_SYSCALL_INFO, PTRACE_SEIZE}) {
    EXPECT_EQ(counted_without(static_cast<std::uint32_t>(request)), 100) << request;
  }
}

TEST(OwnMemoryKb, CountsWhatIsWrittenAndNobodyShares) {
  EXPECT_NEAR(own_growth_kb(MAP_PRIVATE), 8192, 512);
  EXPECT_NEAR(own_growth_kb(MAP_SHARED), 0, 512);
}

}  // namespace
}  // namespace bench::quo
