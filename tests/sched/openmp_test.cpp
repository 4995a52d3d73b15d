// SPDX-License-Identifier: BSD-3-Clause
// OpenMP inside tasks: how many threads run, where, and what members may do. Once with GNU's runtime and once with LLVM's.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <comity/sched.hpp>
#include <set>
#include <stdexcept>
#include <vector>

namespace {

using namespace comity::sched;  // NOLINT(google-build-using-namespace): a program of a user

// Threads inside at the same moment.
class Inside {
 public:
  void look() {
    const int now = ++count_;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    for (int i = 0; i < 20000; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    --count_;
  }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> count_{0};
  std::atomic<int> most_{0};
};

TEST(OpenMp, HasTeamsOfOneInATaskThatHasOneHart) {
  const int before = omp_get_max_threads();
  {
    Harts harts;
    harts.run([] {
      Group group;
      for (int i = 0; i < 50; ++i) {
        group.run([] {
          int members = 0;
#pragma omp parallel reduction(+ : members)
          ++members;
          EXPECT_EQ(members, 1);
        });
      }
      group.wait();
    });
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

TEST(OpenMp, HasATeamOfTheHartsThatItGetsEachOnItsCpu) {
  Harts all;
  all.run([] {
    openmp(harts(), [] {
      const int team = omp_get_max_threads();
      EXPECT_GE(team, 1);
      EXPECT_LE(team, harts());
      std::vector<int> cpus(static_cast<std::size_t>(team), -1);
      int members = 0;
#pragma omp parallel reduction(+ : members)
      {
        ++members;
        cpus[static_cast<std::size_t>(omp_get_thread_num())] = sched_getcpu();
      }
      EXPECT_EQ(members, team);
      EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()).size(), cpus.size()) << "two members on one CPU";
    });
    EXPECT_EQ(omp_get_max_threads(), 1);
  });
}

TEST(OpenMp, RunsNoMoreThreadsThanThereAreHarts) {
  Harts all;
  all.run([] {
    Inside inside;
    Group group;
    for (int i = 0; i < 20; ++i) {
      group.run([&inside] {
        openmp(harts(), [&inside] {
#pragma omp parallel
          for (int round = 0; round < 20; ++round) inside.look();
        });
      });
      group.run([&inside] {
        for (int round = 0; round < 20; ++round) inside.look();
      });
    }
    group.wait();
    EXPECT_LE(inside.most(), harts());
  });
}

// The others join as soon as they come in time, if not at once.
TEST(OpenMp, HasATeamOfAllHartsWhereNobodyElseWantsThem) {
  Harts all;
  all.run([] {
    int team = 0;
    while (team < harts()) openmp(harts(), [&team] { team = omp_get_max_threads(); });
    EXPECT_EQ(team, harts());
  });
}

// With all harts in the team it is those of the members that wait which run the tasks.
TEST(OpenMp, LetsMembersSpawnTasksAndWaitForThem) {
  Harts all;
  all.run([] {
    for (int round = 0; round < 20; ++round) {
      Inside inside;
      std::atomic<int> done{0};
      openmp(harts(), [&] {
        const int team = omp_get_max_threads();
#pragma omp parallel
        {
          inside.look();
          Fiber first([&] { inside.look(), ++done; });
          Fiber second([&] { yield(), inside.look(), ++done; });
          first.join();
          inside.look();
          second.join();
          inside.look();
        }
        EXPECT_EQ(done, 2 * team);
      });
      EXPECT_LE(inside.most(), harts());
    }
  });
}

TEST(OpenMp, PassesOnWhatTheBodyThrows) {
  Harts all;
  all.run([] {
    EXPECT_THROW(openmp(harts(), [] { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_THROW(openmp(0, [] {}), comity::Failure);
    EXPECT_EQ(omp_get_max_threads(), 1);
  });
}

}  // namespace
