// SPDX-License-Identifier: BSD-3-Clause
// That each setting of the environment arrives where it does something. Not: ranges and refusals (base), nor what the
// teams of OpenMP do (context).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <optional>

#include "base/log.hpp"
#include "node/becomes.hpp"
#include "node/meeting_bootstrap.hpp"
#include "node/node_fixture.hpp"
#include "node/said.hpp"
#include "runtime/context_fixture.hpp"
#include "runtime/lone_bootstrap.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using node::HartState;

constexpr const char* kUnknown = "the variable COMITY_LOGG is no setting of Comity; did you mean COMITY_LOG?";

// A variable for as long as this lives: the ranks that are forked meanwhile have it.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// How long rank 0, which rests, goes on doing so where rank 1 dies at the begin of the rest.
struct Rest {
  Nanoseconds from_begin{-1};
  Nanoseconds from_death{-1};
};

Rest rest_until_told_of_a_death() {
  const os::Mapping memory = os::Mapping::anonymous(sizeof(Rest));
  auto& rest = *new (memory.bytes().data()) Rest;
  const RankBody body = [&](ForkBootstrap& job) {
    const WiredContext context(job);
    meet(job);  // both are out of the create, which rests
    if (job.job_rank() == 1) {
      EXPECT_TRUE(hart_becomes(HartState::idle, context.node(), 0));
      job.word(0).store(static_cast<std::uint64_t>(now_ns()));
      ::kill(::getpid(), SIGKILL);
    }
    const std::int64_t begun_ns = now_ns();
    EXPECT_EQ(status_of([&] { context->quiesce(std::nullopt); }), Status::peer_lost);
    rest.from_begin = Nanoseconds(now_ns() - begun_ns);
    rest.from_death = Nanoseconds(now_ns() - static_cast<std::int64_t>(job.word(0).load()));
  };
  const auto ends = run_on_four_cores(2, body, {.quiet_about = 1});
  EXPECT_EQ(ends[0].exit_code, 0);
  return rest;
}

// Below the default of 250 ms; a crowded machine may be late in some of the tries.
TEST(Settings, AShortSliceTellsADeathSoon) {
  const Variable slice("COMITY_NODE_SLICE_MS", "10");
  Nanoseconds soonest = 1h;
  for (int tries = 0; tries < 20 && soonest > 125ms; ++tries) {
    soonest = std::min(soonest, rest_until_told_of_a_death().from_death);
  }
  EXPECT_LE(soonest, 125ms);
}

// Above it: nobody looks before the slice is over.
TEST(Settings, ALongSliceTellsADeathLate) {
  const Variable slice("COMITY_NODE_SLICE_MS", "500");
  EXPECT_GE(rest_until_told_of_a_death().from_begin, 500ms);
}

TEST(Settings, ASpinHoldsTheHartOfARankThatRests) {
  const Variable spin("COMITY_NODE_SPIN_US", "100000");
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    const WiredContext context(job);
    meet(job);
    if (job.job_rank() == 1) {
      job.word(0).store(static_cast<std::uint64_t>(now_ns()));
    } else {
      EXPECT_TRUE(hart_becomes(HartState::idle, context.node(), 1));
      EXPECT_GE(Nanoseconds(now_ns() - static_cast<std::int64_t>(job.word(0).load())), 100ms);
    }
    context->quiesce(std::nullopt);
  });
  EXPECT_TRUE(all_good(ends));
}

// Each setting of the hand-over alone would let them go on together.
TEST(Settings, AForcedHandOverByFileFailsWithoutItsFolder) {
  const Variable handover("COMITY_NODE_HANDOVER", "file");
  const Variable directory("COMITY_NODE_DIRECTORY", "/nonexistent");
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    std::string words;
    EXPECT_EQ(status_of([&] { const WiredContext context(job); }, &words), Status::system);
    EXPECT_NE(words.find(job.job_rank() == 0 ? "/nonexistent" : "file"), std::string::npos) << words;
  });
  EXPECT_TRUE(all_good(ends));
}

// What a rank says that makes a context, pushes and pops.
std::string said_with_log(const char* level) {
  const Variable log("COMITY_LOG", level);
  const Variable unknown("COMITY_LOGG", "1");
  return said_during([] {
    const auto ends = run_on_four_cores(1, [](ForkBootstrap& job) {
      const WiredContext context(job);
      context->push(context::ObjectType::machine, 0);
      context->pop();
    });
    EXPECT_TRUE(all_good(ends));
  });
}

TEST(Settings, TheLogSaysAsMuchAsItIsSetTo) {
  struct Case {
    const char* level;
    int warnings, infos, debugs;
  };
  for (const Case& wanted : {Case{"error", 0, 0, 0}, {"warning", 1, 0, 0}, {"info", 1, 1, 0}, {"debug", 1, 1, 2}}) {
    const std::string said = said_with_log(wanted.level);
    EXPECT_EQ(times(kUnknown, said), wanted.warnings) << wanted.level;
    EXPECT_EQ(times("created: node rank 0 of 1", said), wanted.infos) << wanted.level;
    EXPECT_EQ(times("pushed CPUs 0-3", said) + times("popped, back on CPUs 0", said), wanted.debugs) << wanted.level;
  }
}

// How often a job of four ranks tells of a variable that no setting has the name of.
int told(const RankBody& body, const RunOptions& options = {}) {
  const Variable unknown("COMITY_LOGG", "1");
  const std::string said = said_during([&] { EXPECT_TRUE(all_good(run_on_four_cores(4, body, options))); });
  return times(kUnknown, said);
}

void create_twice(ForkBootstrap& job) {
  for (int round = 0; round < 2; ++round) const WiredContext context(job);
}

TEST(AnUnknownSetting, IsToldOnceANode) {
  EXPECT_EQ(told(create_twice), 1);
  EXPECT_EQ(told(create_twice, {.host = {0, 1, 0, 1}}), 2);
}

TEST(AnUnknownSetting, OfOneRankIsTold) {
  EXPECT_EQ(told([](ForkBootstrap& job) {
              if (job.job_rank() != 2) unsetenv("COMITY_LOGG");
              create_twice(job);
            }),
            1);
}

// Ranks 2 and 3 meet their first node when the others have told already, on one that they are not in.
TEST(AnUnknownSetting, IsNotToldAgainToRanksThatJoinThoseWhoTold) {
  const os::Mapping memory = os::Mapping::anonymous(sizeof(Meeting));
  auto& pair = *reinterpret_cast<Meeting*>(memory.bytes().data());
  EXPECT_EQ(told([&](ForkBootstrap& job) {
              std::optional<MeetingBootstrap> both;
              std::optional<WiredContext> first;
              if (job.job_rank() < 2) first.emplace(both.emplace(pair, job.job_rank(), 2));
              const WiredContext all(job);
            }),
            1);
}

TEST(AnUnknownSetting, IsToldWhereTheCreateFailsForIt) {
  EXPECT_EQ(told([](ForkBootstrap& job) {
              setenv("COMITY_MACHINE_BINDING", "99", 1);
              EXPECT_EQ(status_of([&] { const WiredContext context(job); }), Status::option);
            }),
            1);
}

// A library's context on some of the ranks, or on one alone, gives nobody another number.
TEST(RankOfTheLog, IsThatInTheLargestJob) {
  const std::string said = said_during([] {
    EXPECT_TRUE(all_good(run_on_four_cores(3, [](ForkBootstrap& job) {
      const WiredContext all(job);
      runtime::LoneBootstrap alone;
      const WiredContext mine(alone);
      log::warning("test", "here is " + std::to_string(job.job_rank()));
      meet(job);
    })));
  });
  for (const int rank : {0, 1, 2}) {
    const std::string number = std::to_string(rank);
    EXPECT_EQ(times("here is " + number + " (rank " + number + ", pid ", said), 1) << said;
  }
}

}  // namespace
}  // namespace comity::testing
