// SPDX-License-Identifier: BSD-3-Clause
// Several threads of each rank create, use and free contexts at once, as under MPI_THREAD_MULTIPLE. Forked ranks; each
// thread has a bootstrap of its own, its lane, as it would have a communicator of its own.
#include <comity/comity.hpp>

#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
#include <set>
#include <thread>

#include "capi/fork_callbacks.hpp"
#include "capi/thread_use.hpp"
#include "node/meeting_bootstrap.hpp"
#include "node/stand_in.hpp"

namespace comity::testing {
namespace {

constexpr int kLanes = 3;

// In memory that all ranks share.
struct Lanes {
  std::array<Meeting, kLanes> meetings;
};

class Concurrent : public ::testing::TestWithParam<const char*> {
 protected:
  Concurrent() {
    setenv("COMITY_NODE_SLICE_MS", "50", 1);
    unsetenv("HWLOC_SYNTHETIC");
    if (GetParam() != nullptr) setenv("HWLOC_SYNTHETIC", GetParam(), 1);
  }

  [[nodiscard]] MeetingBootstrap lane(std::size_t index, const ForkBootstrap& job) const {
    return {lanes().meetings[index], job.job_rank(), job.job_size()};
  }

 private:
  [[nodiscard]] Lanes& lanes() const { return *reinterpret_cast<Lanes*>(memory_.bytes().data()); }
  os::Mapping memory_ = os::Mapping::anonymous(sizeof(Lanes));
};

INSTANTIATE_TEST_SUITE_P(Machines, Concurrent, ::testing::Values("package:2 core:2 pu:1", nullptr),
                         [](const auto& one) { return one.param == nullptr ? "Real" : "Simulated"; });

// Runs one thread a lane; what a thread throws is a failure of the test.
void run_lanes(const std::function<void(std::size_t lane)>& body, std::size_t first = 0) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kLanes; ++i) {
    threads.emplace_back([&body, lane = (first + i) % kLanes] {
      try {
        body(lane);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "lane " << lane << ": " << error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Concurrent, EachThreadCreatesUsesAndFreesContextsOfItsOwnInAnyOrder) {
  const auto ends = run_ranks(3, [&](ForkBootstrap& job) {
    const auto rank = static_cast<std::size_t>(job.job_rank());
    run_lanes(
        [&](std::size_t index) {
          MeetingBootstrap mine = lane(index, job);
          for (int round = 0; round < 12; ++round) {
            Context context(callbacks(mine));
            const std::string wrong = use_once(context, mine.job_rank(), mine.job_size(),
                                               [&](std::int64_t one) { return mine.job_sum(one); });
            EXPECT_EQ(wrong, "") << "lane " << index << ", round " << round;
          }
        },
        rank);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Concurrent, CreatesAtOnceShareOneSegment) {
  const auto ends = run_ranks(3, [&](ForkBootstrap& job) {
    for (int round = 0; round < 10; ++round) {
      std::array<std::uint64_t, kLanes> ids{};
      std::barrier all_alive(kLanes);
      run_lanes(
          [&](std::size_t index) {
            MeetingBootstrap mine = lane(index, job);
            Context context(callbacks(mine));
            ids[index] = context.node_id();
            all_alive.arrive_and_wait();
          },
          static_cast<std::size_t>(job.job_rank() + round));
      EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 1U) << "round " << round;
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Tells when a create has come to its first collective call.
class Watched final : public StandIn {
 public:
  Watched(node::Bootstrap& job, std::atomic<bool>& began) : StandIn(job), began_(began) {}
  std::int64_t job_max(std::int64_t mine) override {
    began_.store(true);
    began_.notify_all();
    return StandIn::job_max(mine);
  }

 private:
  std::atomic<bool>& began_;
};

TEST_P(Concurrent, ACreateWhosePeersHaveNotComeHoldsUpNoOtherCall) {
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    MeetingBootstrap early = lane(0, job);
    MeetingBootstrap late = lane(1, job);
    Context first(callbacks(early));
    const auto everything_else = [&] {
      { const Context freed = std::move(first); }
      Context second(callbacks(early));
      second.push(Resource::core, 0);
      second.quiesce();
      second.pop();
      (void)Context::local();
    };
    if (job.job_rank() == 1) {
      everything_else();
      Context(callbacks(late)).quiesce();
      return;
    }
    std::atomic<bool> began{false};
    std::thread waiting([&] {
      Watched watched(late, began);
      Context(callbacks(watched)).quiesce();  // its peer comes when all else is done
    });
    began.wait(false);
    everything_else();
    waiting.join();
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
