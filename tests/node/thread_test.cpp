// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads. Each attaches on its own, so each has the segment at another address, and the thread
// sanitizer does not see that they share it: there it checks what is inside a Node. The tests of the pieces
// (Pieces) share one address, and plain memory between them shows whether the protocol orders it.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "node/layout.hpp"
#include "node_fixture.hpp"
#include "stand_in.hpp"
#include "thread_bootstrap.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kRanks = 4;

void run_plain_threads(const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

TEST(Pieces, TheBarrierOrdersPlainMemory) {
  node::GroupRecord record{};
  std::array<node::MemberRecord, kRanks> members{};
  std::array<int, kRanks> board{};
  record.word.store(node::BarrierWord::fresh(3).bits());
  run_plain_threads([&](int rank) {
    node::Barrier barrier(record, members, rank, 3);
    const auto wait = [&] {
      const std::uint32_t generation = barrier.generation();
      node::Phase phase = barrier.arrive(generation);
      // One of them keeps changing its mind.
      if (rank == 1 && phase == node::Phase::waiting && barrier.withdraw(generation) == node::Phase::waiting) {
        phase = barrier.arrive(generation);
      }
      while (phase == node::Phase::waiting) {
        barrier.sleep_until(generation, now_ns() + 1'000'000);
        phase = barrier.look(generation);
      }
      return phase;
    };
    for (int round = 0; round < 1000; ++round) {
      board[static_cast<std::size_t>(rank)] = round;
      EXPECT_EQ(wait(), node::Phase::released);
      for (const int seen : board) EXPECT_EQ(seen, round);
      EXPECT_EQ(wait(), node::Phase::released);
    }
  });
}

TEST(Pieces, ABrokenBarrierStaysBrokenForAll) {
  node::GroupRecord record{};
  std::array<node::MemberRecord, kRanks + 1> members{};
  run_plain_threads([&](int rank) {
    node::Barrier barrier(record, members, rank, 0);
    static_cast<void>(barrier.arrive(0));
    barrier.break_because_of(kRanks, 0);
    EXPECT_EQ(barrier.look(0), node::Phase::broken);
    EXPECT_EQ(barrier.withdraw(0), node::Phase::broken);
    EXPECT_EQ(barrier.arrive(0), node::Phase::broken);
    EXPECT_EQ(barrier.lost_rank(), kRanks);
  });
}

// A slow member once named one that had been told of the death, and had left, in place of the dead one.
TEST(Pieces, WhoLeavesABrokenBarrierIsNotItsCause) {
  node::GroupRecord record{};
  std::array<node::MemberRecord, 3> members{};
  node::Barrier told(record, members, 0, 0);
  node::Barrier slow(record, members, 1, 0);
  static_cast<void>(told.arrive(0));
  static_cast<void>(slow.arrive(0));
  told.break_because_of(2, 0);
  slow.break_because_of(0, 0);  // it looked before the break, and then found rank 0 gone
  EXPECT_EQ(slow.look(0), node::Phase::broken);
  EXPECT_EQ(slow.lost_rank(), 2);
}

TEST(Pieces, AStaleEpochNeverTouchesTheNextGroupsWord) {
  node::GroupRecord record{};
  std::array<node::MemberRecord, 2> members{};
  record.word.store(node::BarrierWord::fresh(8).bits());
  node::Barrier stale(record, members, 0, 7);
  EXPECT_EQ(stale.arrive(0), node::Phase::stale);
  EXPECT_EQ(stale.withdraw(0), node::Phase::stale);
  stale.break_because_of(1, 0);
  EXPECT_EQ(record.word.load(), node::BarrierWord::fresh(8).bits());
}

TEST(Pieces, AHartIsHeldOneAtATime) {
  std::vector<std::atomic<std::uint64_t>> words(1);
  node::HartTable table(words);
  table.set_owners(std::vector<int>{node::kNobody});
  long inside = 0;  // plain: who holds the hart writes it
  run_plain_threads([&](int rank) {
    node::HartTable mine(words);
    for (int round = 0; round < 1000; ++round) {
      while (mine.hold(0, rank) != node::HoldResult::taken) {
        mine.withdraw(0);
        std::this_thread::yield();
      }
      ++inside;
      mine.give_back(0, rank);
    }
  });
  EXPECT_EQ(inside, 1000L * kRanks);
  EXPECT_EQ(table.word(0).state(), node::HartState::free);
}

TEST(Pieces, AMaskIsReadWhole) {
  node::PublishedMask mask{};
  const CpuSet all = CpuSet::first(CpuSet::kCapacity);
  run_plain_threads([&](int rank) {
    int torn = 0;
    for (int round = 0; round < 5000; ++round) {
      if (rank == 0) {
        mask.publish(round % 2 == 0 ? all : CpuSet());
      } else {
        const std::size_t count = mask.read().count();
        torn += count != 0 && count != CpuSet::kCapacity;
      }
    }
    EXPECT_EQ(torn, 0);
  });
}

TEST(ThreadsAsRanks, MeetInBarriersExchangesAndSplits) {
  std::vector<std::atomic<int>> board(kRanks);
  const auto failures = run_threads(kRanks, [&](ThreadBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    std::vector<std::uint64_t> words(kRanks);
    for (int round = 0; round < 300; ++round) {
      board[static_cast<std::size_t>(group->rank())].store(round, std::memory_order_relaxed);
      group->wait();
      for (const auto& seen : board) EXPECT_EQ(seen.load(std::memory_order_relaxed), round);
      group->exchange(static_cast<std::uint64_t>(round), words);
      for (const std::uint64_t word : words) EXPECT_EQ(word, static_cast<std::uint64_t>(round));
      const auto part = group->split(group->rank() % 2);
      part->wait();
      part->wait();
    }
  });
  EXPECT_TRUE(failures.empty()) << failures.front();
}

TEST(ThreadsAsRanks, WithdrawWithoutLosingARound) {
  std::vector<std::atomic<int>> board(kRanks);
  const auto failures = run_threads(kRanks, [&](ThreadBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    const auto me = static_cast<std::size_t>(group->rank());
    for (int round = 0; round < 100; ++round) {
      board[me].store(round, std::memory_order_relaxed);
      while (status_of([&] { group->wait(std::chrono::microseconds(20 * me)); }) == Status::timeout) {
      }
      for (const auto& seen : board) EXPECT_EQ(seen.load(std::memory_order_relaxed), round);
      group->wait();
    }
  });
  EXPECT_TRUE(failures.empty()) << failures.front();
}

TEST(ThreadsAsRanks, ReadWholeMasksWhileTheyArePublished) {
  const auto failures = run_threads(kRanks, [](ThreadBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    const CpuSet all = CpuSet::first(CpuSet::kCapacity);
    if (group->rank() == 0) node->publish_mask(CpuSet());
    group->wait();
    int torn = 0;
    for (int round = 0; round < 3000; ++round) {
      if (group->rank() == 0) {
        node->publish_mask(round % 2 == 0 ? all : CpuSet());
      } else {
        const std::size_t count = node->published_mask(0).count();
        torn += count != 0 && count != CpuSet::kCapacity;
      }
    }
    EXPECT_EQ(torn, 0);
    group->wait();
  });
  EXPECT_TRUE(failures.empty()) << failures.front();
}

TEST(ThreadsAsRanks, SplitAndFreeThousandsOfGroupsInTheSlotsOfOneSegment) {
  const auto failures = run_threads(kRanks, [](ThreadBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    std::unique_ptr<node::Group> kept;
    for (int round = 0; round < 1000; ++round) {
      auto part = group->split((group->rank() + round) % 3);
      part->wait();
      if (round % 5 == 0) kept = std::move(part);  // freed by its members at different moments
    }
    group->wait();
  });
  EXPECT_TRUE(failures.empty()) << failures.front();
}

TEST(ThreadsAsRanks, AnotherVersionOfTheLayoutIsAnErrorOnBothSides) {
  // Stands between attach and the job, and makes rank 1 look like a library with another layout.
  class OldRank final : public StandIn {
   public:
    using StandIn::StandIn;
    void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
      StandIn::candidate_gather(mine, all, bytes);
      if (!first_) return;
      first_ = false;
      const std::uint64_t version = 77;
      std::byte* other = static_cast<std::byte*>(all) + bytes * static_cast<std::size_t>(1 - job_rank());
      std::memcpy(other + sizeof(std::uint64_t), &version, sizeof(version));
    }

   private:
    bool first_ = true;
  };
  const auto failures = run_threads(2, [](ThreadBootstrap& job) {
    OldRank old(job);
    std::string words;
    EXPECT_EQ(status_of([&] { attach(old); }, &words), Status::version);
    EXPECT_NE(words.find("77"), std::string::npos) << words;
    EXPECT_NE(words.find("this one " + std::to_string(node::kLayoutVersion)), std::string::npos) << words;
  });
  EXPECT_TRUE(failures.empty()) << failures.front();
}

}  // namespace
}  // namespace comity::testing
