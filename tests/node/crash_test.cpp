// SPDX-License-Identifier: BSD-3-Clause
// Ranks killed at random moments: survivors never hang, are told within a second, and nothing is left behind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "faults/survivor.hpp"
#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"
#include "os/files/exclusive_file.hpp"
#include "told_in_time.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kKilled = 0;  // shared word: the victim ends itself

// Ends this process from a second thread, wherever the first one is then.
void end_myself_after(ForkBootstrap& job, std::int64_t delay_ns) {
  std::thread([&job, end_ns = now_ns() + delay_ns] {
    while (now_ns() < end_ns) ::sched_yield();
    job.word(kKilled).store(1);
    ::kill(::getpid(), SIGKILL);
  }).detach();
}

// Everything that a rank does with its node, without end.
void use_the_node(ForkBootstrap& job, const node::AttachOptions& options) {
  const auto node = attach(job, options);
  const auto all = node->make_group(job);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(all->size()));
  for (int round = 0;; ++round) {
    all->wait();
    const auto part = all->split((all->rank() + round) % 2);
    part->wait();
    node->publish_mask(CpuSet::first(static_cast<std::size_t>(round % 64)));
    node->harts().hold(static_cast<std::size_t>(round % 8), node->participant());
    part->exchange(1, words);
    node->harts().give_back(static_cast<std::size_t>(round % 8), node->participant());
    while (status_of([&] { all->wait(50us); }) == Status::timeout) {
    }
  }
}

// A rank of the job ends in Status::mpi when the victim died in a call of the job's own.
void expect_told_in_time(ForkBootstrap& job, const node::AttachOptions& options, int victim) {
  const ToldInTime told;
  std::string words;
  const Status end = status_of([&] { use_the_node(job, options); }, &words);
  EXPECT_LT(told.after_ns(job.ended_ns(victim)), kTellWithin_ns) << words;
  EXPECT_TRUE(end == Status::peer_lost || end == Status::mpi) << words;
  EXPECT_EQ(job.word(kKilled).load(), 1U) << words;
}

class KilledAtRandom : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(HandOver, KilledAtRandom, ::testing::Values("proc", "socket", "file"),
                         [](const auto& one) { return one.param; });

TEST_P(KilledAtRandom, ARankIsMissedWithinASecondAndLeavesNothing) {
  const SharedMemoryFolder shared_memory;
  constexpr int kRounds = 60;
  constexpr int kRanks = 4;
  std::string folder = "/tmp/comity-crash-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const node::AttachOptions options{.handover = GetParam(), .directory = folder, .slice = 10ms};
  std::mt19937 random(20240607);
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const int victim = static_cast<int>(random() % kRanks);
    // Half of them early, while ranks attach.
    const std::int64_t delay_ns = static_cast<std::int64_t>(random() % (round % 2 == 0 ? 1'500'000 : 15'000'000));
    const auto ends = run_ranks(kRanks, [&](ForkBootstrap& job) {
      if (job.job_rank() == victim) end_myself_after(job, delay_ns);
      expect_told_in_time(job, options, victim);
    });
    for (int rank = 0; rank < kRanks; ++rank) {
      if (rank == victim) continue;
      EXPECT_EQ(ends[static_cast<std::size_t>(rank)].exit_code, 0);
    }
    EXPECT_EQ(files_of_ours_in(folder), 0);  // each time: the next attach would sweep
  }
  EXPECT_TRUE(shared_memory.gets_rid_of_what_is_new());
  EXPECT_EQ(::rmdir(folder.c_str()), 0);
}

TEST(KilledWriter, OfAMaskLeavesAWholeMaskToItsReaders) {
  for (int round = 0; round < 20; ++round) {
    const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
      const auto node = attach(job);
      static_cast<void>(job.job_max(0));
      if (node->participant() == 1) {
        end_myself_after(job, 100'000 + round * 50'000);
        const CpuSet all = CpuSet::first(CpuSet::kCapacity);
        while (true) {
          node->publish_mask(all);
          node->publish_mask(CpuSet());
        }
      }
      const std::int64_t end_ns = now_ns() + Nanoseconds(40s).count();
      int torn = 0;
      int reads_after_death = 0;
      while (reads_after_death < 100 && now_ns() < end_ns) {
        const CpuSet mask = node->published_mask(1);
        const std::size_t count = mask.count();
        torn += count != 0 && count != CpuSet::kCapacity && count != 1;  // 1: the mask at attach
        if (!node->alive(1)) ++reads_after_death;
      }
      EXPECT_EQ(torn, 0);
      EXPECT_EQ(reads_after_death, 100);
    });
    EXPECT_EQ(ends[0].exit_code, 0);
  }
}

}  // namespace
}  // namespace comity::testing
