// SPDX-License-Identifier: BSD-3-Clause
// The doorbell: who listens before it looks is rung or sees it, and no ring is lost.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "becomes.hpp"
#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"
#include "os/threads/far_fence.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using node::HartState;
using Listening = node::Node::Listening;
using node::WokenBy;

// Not through the segment, where a wait makes a rank's harts idle.
void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

std::int64_t in(Nanoseconds time) { return deadline_after(time); }

TEST(Doorbell, WakesWhoListensAndNobodyElse) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 0) {
      EXPECT_TRUE(becomes_true([&] { return node->listens(1) && node->listens(2); }));
      EXPECT_TRUE(hart_becomes(HartState::idle, *node, 1)) << "who listens gives its hart away";
      EXPECT_EQ(job.word(0).load(), 0U) << "nobody was rung";
      node->ring(1);
      EXPECT_TRUE(becomes_true([&] { return job.word(0).load() == 1; }));
      EXPECT_TRUE(node->listens(2)) << "it was not for this one";
      node->ring(2);
    } else {
      Listening listening(*node);
      EXPECT_TRUE(listening.sleep_until(kNever));
      job.word(0).fetch_add(1);
    }
    meet(job);
    EXPECT_FALSE(node->listens(1) || node->listens(2));
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, IsHeardAlsoBetweenTheBeginOfListeningAndTheSleep) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) {
      node->ring(1);
      Listening listening(*node);
      EXPECT_FALSE(listening.sleep_until(in(1ms))) << "rings from before do not count";
      meet(job);
      meet(job);
      EXPECT_TRUE(listening.sleep_until(kNever));
      Listening anew(*node);
      EXPECT_FALSE(anew.sleep_until(in(1ms))) << "each once";
    } else {
      meet(job);
      node->ring(1);
      meet(job);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// A pipe of the process.
struct Pipe {
  std::array<int, 2> ends{};
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    for (const int end : ends) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void fill() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
};

// As a wait for another node sleeps: the first place is the doorbell's.
WokenBy sleep_on(Listening& listening, const Pipe& pipe, std::int64_t deadline_ns) {
  std::array<pollfd, 2> watched{pollfd{}, os::to_read(pipe.ends[0])};
  return listening.sleep_on(watched, deadline_ns);
}

TEST(Doorbell, IsHeardInASleepOnDescriptors) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    node->open_wire();
    meet(job);
    EXPECT_TRUE(node->reaches_by_wire(1 - job.job_rank()));
    EXPECT_FALSE(node->reaches_by_wire(2));
    if (job.job_rank() == 1) {
      const Pipe pipe;
      {
        Listening listening(*node);
        EXPECT_EQ(sleep_on(listening, pipe, in(1ms)), WokenBy::clock);
        meet(job);
        EXPECT_EQ(sleep_on(listening, pipe, kNever), WokenBy::ring);
      }
      Listening anew(*node);
      EXPECT_EQ(sleep_on(anew, pipe, in(1ms)), WokenBy::clock) << "once";
      pipe.fill();
      EXPECT_EQ(sleep_on(anew, pipe, kNever), WokenBy::descriptor);
      meet(job);
      meet(job);
      EXPECT_EQ(sleep_on(anew, pipe, kNever), WokenBy::ring) << "also before the sleep, and beside a descriptor";
    } else {
      meet(job);
      EXPECT_TRUE(hart_becomes(HartState::idle, *node, 1));
      node->ring(1);
      meet(job);
      node->ring(1);
      meet(job);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, HearsNoDescriptorWhereNoWireIsOpen) {
  const auto ends = run_ranks(1, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const Pipe pipe;
    pipe.fill();
    Listening listening(*node);
    EXPECT_EQ(sleep_on(listening, pipe, in(1ms)), WokenBy::clock);
    EXPECT_EQ(listening.sleep_on({}, in(1ms)), WokenBy::clock);
    EXPECT_FALSE(node->reaches_by_wire(0));
  });
  EXPECT_TRUE(all_good(ends));
}

// The other thread is rung by the futex word.
TEST(Doorbell, WakesAllThreadsOfARankOfWhichOneSleepsOnDescriptors) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    node->open_wire();
    meet(job);
    if (job.job_rank() == 1) {
      const auto sleep = [&] {
        const Pipe pipe;
        Listening listening(*node);
        job.word(0).fetch_add(1);
        EXPECT_EQ(sleep_on(listening, pipe, kNever), WokenBy::ring);
      };
      std::jthread one(sleep);
      std::jthread other(sleep);
    } else {
      EXPECT_TRUE(becomes_true([&] { return job.word(0).load() == 2; }));
      node->ring(1);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Words go to and fro as messages of an MPI would. A ring that is lost ends in the watchdog.
enum class Sleep { on_the_word, on_descriptors };
void send_words_to_and_fro(bool light_rings, Sleep how = Sleep::on_the_word) {
  constexpr std::uint64_t kRounds = 20'000;
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const auto node = attach(job);
    if (light_rings) {
      ASSERT_TRUE(os::join_far_fences());
      meet(job);
      node->make_rings_light();
    }
    const Pipe pipe;
    if (how == Sleep::on_descriptors) node->open_wire();
    meet(job);
    const int me = job.job_rank();
    const int other = 1 - me;
    const auto wait_for = [&](std::uint64_t count) {
      while (job.word(me).load(std::memory_order_relaxed) < count) {
        Listening listening(*node);
        if (job.word(me).load(std::memory_order_relaxed) >= count) return;
        if (how == Sleep::on_the_word) {
          listening.sleep_until(kNever);
        } else {
          (void)sleep_on(listening, pipe, kNever);
        }
      }
    };
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      if (me == 1) wait_for(round);
      job.word(other).store(round, std::memory_order_relaxed);
      node->ring(other);
      if (me == 0) wait_for(round);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, RingsOnceForWhoHasNotLookedYet) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) {
      Listening listening(*node);
      meet(job);
      meet(job);
      EXPECT_TRUE(listening.sleep_until(kNever));
      Listening anew(*node);
      meet(job);
      EXPECT_TRUE(anew.sleep_until(kNever)) << "and again where it listens again";
    } else {
      meet(job);
      for (int i = 0; i < 3; ++i) node->ring(1);
      meet(job);
      meet(job);
      node->ring(1);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, TellsNoReceiptToWhoWaitsForAMessage) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const int me = job.job_rank();
    if (me == 0) {
      meet(job);
      for (const int other : {1, 2}) node->ring(other, node::News::receipt);
      meet(job);
      meet(job);
      node->ring(1, node::News::message);
    } else {
      Listening listening(*node, me == 1 ? node::Hears::messages : node::Hears::everything);
      meet(job);
      meet(job);
      EXPECT_EQ(listening.sleep_until(me == 1 ? in(1ms) : kNever), me == 2);
      meet(job);
      if (me == 1) {
        EXPECT_TRUE(listening.sleep_until(kNever));
      }
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, TellsNoAnswerToWhoWaitsForOthersToCome) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const int me = job.job_rank();
    if (me == 0) {
      constexpr std::array kOthers{1, 2};
      meet(job);
      node->ring(kOthers, node::News::answer);
      meet(job);
      meet(job);
      node->ring(1, node::News::receipt);
    } else {
      Listening listening(*node, me == 1 ? node::Hears::all_but_answers : node::Hears::messages);
      meet(job);
      meet(job);
      EXPECT_EQ(listening.sleep_until(me == 1 ? in(1ms) : kNever), me == 2);
      meet(job);
      if (me == 1) {
        EXPECT_TRUE(listening.sleep_until(kNever));
      }
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, AnswersWhoAsksOnce) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const int me = job.job_rank();
    using Asked = node::Node::Asked;
    std::optional<Listening> listening(*node);
    meet(job);
    if (me == 1) {
      EXPECT_EQ(node->ask(0), Asked::anew);
      EXPECT_EQ(node->ask(0), Asked::still);
    }
    meet(job);
    if (me == 0) {
      EXPECT_EQ(node->rings(0), 1U) << "the second question is the first one";
      EXPECT_EQ(node->rings(1), 0U);
      node->answer();
      node->answer();
      EXPECT_EQ(node->rings(1), 1U);
      EXPECT_EQ(node->rings(2), 0U) << "has asked nobody";
    }
    meet(job);
    if (me == 1) {
      EXPECT_TRUE(listening->sleep_until(kNever));
      listening.reset();
      listening.emplace(*node);
      EXPECT_EQ(node->ask(0), Asked::anew) << "was answered";
      EXPECT_EQ(node->ask(2), Asked::anew) << "the last question counts";
    }
    meet(job);
    if (me == 0) node->answer();
    meet(job);
    if (me == 1) {
      EXPECT_FALSE(listening->sleep_until(in(1ms))) << "asks another one";
      node->stop_asking();
    }
    meet(job);
    if (me == 2) node->answer();
    meet(job);
    if (me == 1) {
      EXPECT_FALSE(listening->sleep_until(in(1ms))) << "asks nobody";
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, HandsOnWhatSomeWaitForAndNotAll) {
  constexpr int kRanks = 6;
  const auto ends = run_ranks(kRanks, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const int me = job.job_rank();
    using Asked = node::Node::Asked;
    const bool asks = me >= 2;
    std::optional<Listening> listening(*node);
    meet(job);
    if (asks) {
      EXPECT_EQ(node->ask(0), Asked::anew);
    }
    meet(job);
    if (me == 1) node->hand_on(0);
    meet(job);
    int rung = 0;
    for (int rank = 2; rank < kRanks; ++rank) rung += static_cast<int>(node->rings(rank));
    EXPECT_EQ(rung, 2);
    meet(job);
    if (asks) {
      const Asked expected = node->rings(me) == 0 ? Asked::still : Asked::handed_on;
      EXPECT_EQ(node->ask(0), expected);
      EXPECT_EQ(node->ask(0), Asked::still);
    }
    meet(job);
    if (me == 1) {  // the first ones' turn again, and the others'
      node->hand_on(0);
      node->hand_on(0);
    }
    meet(job);
    if (asks) {
      EXPECT_EQ(node->ask(0), Asked::handed_on);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// A question that comes as the other one falls asleep is answered all the same: whoever loses one waits for ever here.
TEST(Doorbell, LosesNoQuestion) {
  constexpr int kQuestions = 2000;
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const int me = job.job_rank();
    const auto word_of = [&](int rank) -> std::atomic<std::uint64_t>& {
      return job.word(static_cast<std::size_t>(rank));
    };
    std::atomic<std::uint64_t>& wanted = word_of(me);  // of the first one, which does what is wanted as it looks
    const auto look = [&] {
      bool is_over = true;
      for (const int other : {1, 2}) {
        const std::uint64_t of_one = word_of(other).load();
        if (of_one % 2 == 1) word_of(other).store(of_one + 1);
        is_over = is_over && word_of(other).load() == 2 * kQuestions;
      }
      return is_over;
    };
    if (me == 0) {
      for (bool is_over = look(); !is_over;) {
        Listening listening(*node);
        is_over = look();
        node->answer();
        if (!is_over) (void)listening.sleep_until(kNever);
      }
    } else {
      for (int i = 0; i < kQuestions; ++i) {
        wanted.fetch_add(1);
        while (wanted.load() % 2 == 1) {
          Listening listening(*node);
          if (wanted.load() % 2 == 0) break;
          (void)node->ask(0);
          (void)listening.sleep_until(kNever);
        }
      }
      node->stop_asking();
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, LosesNoRing) { send_words_to_and_fro(false); }

TEST(Doorbell, LosesNoLightRing) {
  if (!os::join_far_fences()) GTEST_SKIP() << "NOT TESTED: this kernel has no membarrier";
  send_words_to_and_fro(true);
}

TEST(Doorbell, LosesNoRingInSleepsOnDescriptors) { send_words_to_and_fro(false, Sleep::on_descriptors); }

TEST(Doorbell, TellsWhatAWakeUpCosts) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    bool measured = false;
    for (int round = 0; round < 1000 && !measured; ++round) {
      meet(job);
      if (job.job_rank() == 1) {
        Listening listening(*node);
        meet(job);
        listening.sleep_until(kNever);
      } else {
        meet(job);
        std::this_thread::sleep_for(1ms);  // it sleeps by now, or the next round is another try
        node->ring(1);
      }
      measured = job.job_sum(node->wake_cost(1).count()) > 0;
    }
    EXPECT_TRUE(measured);
    EXPECT_LT(node->wake_cost(1), 1s);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Doorbell, OfAKilledListenerRingsForNobody) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) {
      Listening listening(*node);
      listening.sleep_until(kNever);
      ::_exit(7);
    }
    EXPECT_TRUE(hart_becomes(HartState::idle, *node, 1));
    ::kill(node->pid(1), SIGKILL);
    EXPECT_TRUE(becomes_true([&] { return !node->alive(1); }));
    node->ring(1);
    node->ring(0);
  });
  EXPECT_EQ(ends[0].exit_code, 0);
  EXPECT_EQ(ends[1].signal, SIGKILL);
}

TEST(Doorbell, IsNobodysOutsideOfTheNode) {
  const auto ends = run_ranks(1, [](ForkBootstrap& job) {
    const auto node = attach(job);
    EXPECT_EQ(status_of([&] { node->ring(1); }), Status::range);
    EXPECT_EQ(status_of([&] { node->ring(-1); }), Status::range);
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
