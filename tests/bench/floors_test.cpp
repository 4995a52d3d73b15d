// SPDX-License-Identifier: BSD-3-Clause
// The floors that bench quo holds its figures against: which threads a push has moved, what the raw calls do, what memory counts.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "capi/two_cpus.hpp"
#include "os/affinity.hpp"
#include "os/threads.hpp"
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

TEST(MemoryNow, CountsWhatIsTouchedByThisProcessAndItsPartOfWhatIsShared) {
  constexpr std::size_t kBytes = std::size_t{8} << 20U;
  (void)memory_now();
  const Memory before = memory_now();
  void* const mine = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mine, MAP_FAILED);
  EXPECT_NEAR((memory_now() - before).data_kb, 0, 512) << "not before it is touched";
  std::memset(mine, 1, kBytes);
  EXPECT_NEAR((memory_now() - before).data_kb, 8192, 512);
  ::munmap(mine, kBytes);

  void* const read_only = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(read_only, MAP_FAILED);
  std::memset(read_only, 1, kBytes);
  ASSERT_EQ(::mprotect(read_only, kBytes, PROT_READ), 0);
  EXPECT_NEAR((memory_now() - before).code_kb, 8192, 512);
  EXPECT_NEAR((memory_now() - before).data_kb, 0, 512);
  ::munmap(read_only, kBytes);
}

}  // namespace
}  // namespace bench::quo
