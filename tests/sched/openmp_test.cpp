// SPDX-License-Identifier: BSD-3-Clause
// OpenMP inside tasks: how many threads run, where, and what members may do. Once with GNU's runtime and once with LLVM's.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <comity/sched.hpp>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "circle.hpp"
#include "late_runtime.hpp"
#include "thread_states.hpp"

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

// As any thread may, and in a task too. With all harts in the team.
TEST(OpenMp, LetsMembersRunGroupsOfTasks) {
  Harts all;
  all.run([&all] {
    for (int round = 0; round < 20; ++round) {
      Inside inside;
      std::atomic<int> done{0};
      openmp(harts(), [&] {
        const int team = omp_get_max_threads();
#pragma omp parallel
        {
          inside.look();
          const int mine = all.run([&] {
            inside.look();
            std::atomic<int> run{0};
            Group group;
            for (int i = 0; i < 10; ++i) group.run([&] { inside.look(), ++run; });
            group.wait();
            inside.look();
            return run.load();
          });
          inside.look();
          done += mine;
        }
        EXPECT_EQ(done, 10 * team);
      });
      EXPECT_LE(inside.most(), harts());
    }
  });
}

// Else it could wait there while another member, who stands for that hart, waits in the team for this member. The first member's
// fiber lets all others go first meanwhile, so its hart would begin them long before a hart that sleeps.
TEST(OpenMp, RunsWhatAMemberWaitsForOnItsOwnHart) {
  Harts all;
  all.run([&all] {
    std::atomic<int> elsewhere{0};
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> left{0};
      std::atomic<bool> is_waiting{false};
      openmp(harts(), [&] {
        left = omp_get_max_threads() - 1;
#pragma omp parallel
        {
          const int mine = sched_getcpu();
          if (omp_get_thread_num() == 0) {
            all.run([&] {
              is_waiting = true;
              while (left > 0) comity::sched::yield();
            });
          } else {
            while (!is_waiting) std::this_thread::yield();
            all.run([&] {
              elsewhere += sched_getcpu() == mine ? 0 : 1;
              --left;
            });
          }
        }
      });
    }
    EXPECT_EQ(elsewhere, 0);
  });
}

// Those of tasks, of members and of the runtime, as the kernel counts them: a team works without a pause, then tasks on all harts do. Who
// is on his way to sleep takes a moment; after that it is so for good. The kernel is asked for one thread after the other, so one that
// sleeps by then and another that it has woken may both count in one sample, but not in several in a row.
TEST(OpenMp, LeavesNoThreadRunningBeyondTheHarts) {
  constexpr int kSamples = 50;
  Harts all;
  // By one of so many that are at work until it has looked.
  const auto expect_no_more = [](std::atomic<int>& at_work, int all_of_them, std::atomic<bool>& over) {
    while (at_work < all_of_them || comity::testing::threads_that_run() > harts()) std::this_thread::yield();
    constexpr int kInARow = 5;
    int above = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
      above = comity::testing::threads_that_run() > harts() ? above + 1 : 0;
      EXPECT_LT(above, kInARow);
    }
    over = true;
  };
  all.run([&] {
    for (int round = 0; round < 5; ++round) {
      openmp(harts(), [&] {
        std::atomic<int> at_work{0};
        std::atomic<bool> over{false};
#pragma omp parallel
        {
          ++at_work;
          if (omp_get_thread_num() == 0) expect_no_more(at_work, omp_get_num_threads(), over);
          while (!over) std::atomic_signal_fence(std::memory_order_seq_cst);
        }
      });
      std::atomic<int> at_work{0};
      std::atomic<bool> over{false};
      team(harts(), [&](int member) {
        ++at_work;
        if (member == 0) expect_no_more(at_work, harts(), over);
        while (!over) std::atomic_signal_fence(std::memory_order_seq_cst);
      });
    }
  });
}

void wait_in_a_circle_after_a_team() {
  comity_sched_options options{};
  options.on_deadlock = [](const char* text, void*) {
    std::fputs(text, stderr);
    _exit(std::string(text).find("a circle of 2: ") != std::string::npos ? 7 : 1);
  };
  Harts all(options);
  all.run([] {
    openmp(harts(), [] {
#pragma omp parallel
      std::atomic_signal_fence(std::memory_order_seq_cst);
    });
    wait_in_a_circle();
  });
}

// The threads of the runtime are there for good, and might wake whom they like: not who is in a circle. Among the first that run, as
// GoogleTest has it for this name: in the child of a process that has had a team there is none.
TEST(OpenMpDeathTest, IsNoReasonToKeepACircleOfFibersFromBeingTold) {
  EXPECT_EXIT(wait_in_a_circle_after_a_team(), ::testing::ExitedWithCode(7), "");
}

TEST(OpenMp, PassesOnWhatTheBodyThrows) {
  Harts all;
  all.run([] {
    EXPECT_THROW(openmp(harts(), [] { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_THROW(openmp(0, [] {}), comity::Failure);
    EXPECT_EQ(omp_get_max_threads(), 1);
  });
}

// On two harts: a third would not see what stands in the list of one that waits for it.
class OpenMpThatIsLoadedLater : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!late_.is_here()) GTEST_SKIP() << "NOT TESTED: libgomp.so.1 is not installed";
  }
  static comity_sched_options on_two_harts() {
    comity_sched_options options{};
    options.harts = 2;
    return options;
  }
  static void wait_for_an_idle_hart() {
    while (harts() > 1 && comity_sched_idle() == 0) std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  // Adds a task for each hart, and they go on when all have begun.
  template <typename Work>
  static void add_one_for_each(Group& group, std::atomic<int>& begun, const Work& work) {
    for (int i = 0; i < harts(); ++i) {
      group.run([&begun, &work] {
        ++begun;
        while (begun < harts()) std::atomic_signal_fence(std::memory_order_seq_cst);
        work();
      });
    }
  }

  comity::testing::LateRuntime late_;
  const std::function<void()> expect_one_ = [this] { EXPECT_EQ(late_.members(), 1); };
};

TEST_F(OpenMpThatIsLoadedLater, HasTeamsOfOneOnAllHartsToo) {
  {
    Harts both(on_two_harts());
    both.run([] {});
    late_.load();
    EXPECT_EQ(late_.max_threads(), late_.kUntold);
    both.run([this] {
      std::atomic<int> begun{0};
      wait_for_an_idle_hart();
      Group group;
      add_one_for_each(group, begun, expect_one_);
      group.wait();
      on_own_thread(expect_one_);
    });
  }
  EXPECT_EQ(late_.max_threads(), late_.kUntold);
}

// Inside openmp() a task may load one: all are told when that ends, also a hart that has looked for nothing meanwhile.
TEST_F(OpenMpThatIsLoadedLater, IsToldToAHartThatIsBusyBeforeItsNextTask) {
  Harts both(on_two_harts());
  both.run([this] {
    std::atomic<int> busy{0};
    std::atomic<bool> loaded{false};
    wait_for_an_idle_hart();
    Group before;
    for (int i = 1; i < harts(); ++i) {
      before.run([&] {
        ++busy;
        while (!loaded) std::atomic_signal_fence(std::memory_order_seq_cst);
      });
    }
    while (busy + 1 < harts()) std::atomic_signal_fence(std::memory_order_seq_cst);
    openmp(1, [this] { late_.load(); });
    std::atomic<int> begun{0};
    Group group;
    add_one_for_each(group, begun, expect_one_);
    loaded = true;
    group.wait();
    before.wait();
  });
}

// Whoever has loaded it.
TEST_F(OpenMpThatIsLoadedLater, IsToldByAHartThatWakes) {
  comity_sched_options options = on_two_harts();
  options.spin_ns = -1;
  Harts both(options);
  both.run([this] {
    wait_for_an_idle_hart();
    late_.load();
    while (!comity::testing::others_sleep()) std::this_thread::yield();
    const int maker = hart();
    const auto expect_one_elsewhere = [this, maker] {
      if (hart() != maker) {
        EXPECT_EQ(late_.members(), 1);
      }
    };
    std::atomic<int> begun{0};
    Group group;
    add_one_for_each(group, begun, expect_one_elsewhere);
    group.wait();
  });
}

TEST_F(OpenMpThatIsLoadedLater, IsToldByAThreadOfItsOwnThatRunsSomething) {
  Harts both(on_two_harts());
  both.run([&] {
    on_own_thread([&] {
      late_.load();
      both.run([] {});
      expect_one_();
    });
  });
}

}  // namespace
