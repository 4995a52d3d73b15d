// SPDX-License-Identifier: BSD-3-Clause
// A rank is killed before and after each of its system calls, or between the instructions of a step that makes none,
// step by step of a context's life. Its peers are told within a second, nothing stays behind, and they go on with a
// context of their own. A rank that is only stopped is no dead one.
//
// STOP_STRIDE (stops, 1 without it): how far the sweeps step from stop to stop. STOP_FIRST (1 without it): where they begin.
// KILLS (6 without it): how many a sweep has between the instructions of a part. VICTIM (rank, both without it): who is
// killed in use.
#include <comity/comity.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "capi/fork_callbacks.hpp"
#include "faults/interrupter.hpp"
#include "faults/survivor.hpp"
#include "node/becomes.hpp"
#include "node/meeting_bootstrap.hpp"
#include "node/process_state.hpp"
#include "node/stand_in.hpp"
#include "sanitizer.hpp"
#include "told_in_time.hpp"

namespace comity::testing {
namespace {

constexpr int kRanks = 3;
constexpr const char* kShortSlice_ms = "20";  // for sweeps of many stops: a peer is looked after once a slice
constexpr int kMostStops = 4000;

// How many blows fell in all tests of this process, said at its end.
class Tally final : public ::testing::Environment {
 public:
  void TearDown() override { std::printf("%d ranks were killed, %d stopped for a while\n", killed, stopped); }
  static inline int killed = 0;
  static inline int stopped = 0;
};
[[maybe_unused]] const auto* const kTally = ::testing::AddGlobalTestEnvironment(new Tally);

enum class Part { create, again, push, query, distribute, wait, spread, split, phase, pop, free };
constexpr std::array kParts{Part::create, Part::again, Part::push,  Part::query, Part::distribute, Part::wait,
                            Part::spread, Part::split, Part::phase, Part::pop,   Part::free};
constexpr std::array kPartNames{"create", "again", "push",  "query", "distribute", "wait",
                                "spread", "split", "phase", "pop",   "free"};

// What all ranks of one run share beside the job: the blow, and where the survivors meet.
struct Scene {
  InterruptWords blow;
  Meeting survivors;
};

// The job as the victim sees it. Its own system calls do not count: they are MPI's or the launcher's.
class VictimsJob final : public StandIn {
 public:
  VictimsJob(node::Bootstrap& job, InterruptWords& words) : StandIn(job), words_(words) {}
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    const Uncounted own(words_);
    StandIn::candidate_gather(mine, all, bytes);
  }
  std::int64_t job_max(std::int64_t mine) override {
    const Uncounted own(words_);
    return StandIn::job_max(mine);
  }
  std::int64_t job_sum(std::int64_t mine) override {
    const Uncounted own(words_);
    return StandIn::job_sum(mine);
  }

 private:
  InterruptWords& words_;
};

// A rank's program: one part after the other.
class Life {
 public:
  explicit Life(node::Bootstrap& job) : bootstrap_(callbacks(job)) {}

  comity_status live(Part part) {
    switch (part) {
      case Part::create:
        return comity_context_create_with(&bootstrap_, &context_);
      case Part::again:  // shares the segment that is there
        return comity_context_create_with(&bootstrap_, &second_);
      case Part::push:
        return comity_context_push(context_, COMITY_PU, 0);
      case Part::query:
        return query();
      case Part::distribute: {
        comity_distribution mine;
        return comity_context_distribute(context_, COMITY_MACHINE, 1, COMITY_RULE_FILL, &mine);
      }
      case Part::wait:
        return comity_context_quiesce(context_, nullptr, 0, COMITY_FOREVER);
      case Part::spread:
        return spread();
      case Part::split:
        return split();
      case Part::phase: {
        std::int32_t selected = 0;
        const comity_status entered = comity_context_enter(context_, COMITY_MACHINE, 1, 0, &selected);
        return entered != COMITY_OK ? entered : comity_context_leave(context_);
      }
      case Part::pop:
        return comity_context_pop(context_);
      case Part::free:
        return end();
    }
    return COMITY_ERR_INTERNAL;
  }
  comity_status end() {
    const comity_status first = comity_context_free(&context_);
    const comity_status second = comity_context_free(&second_);
    return std::max(first, second);
  }

 private:
  comity_status query() {
    std::int32_t count = 0;
    comity_cpuset set;
    comity_status status = comity_context_count(context_, COMITY_PU, &count);
    if (status == COMITY_OK) status = comity_context_binding(context_, &set);
    if (status == COMITY_OK) {
      status = comity_context_peers_in(context_, COMITY_MACHINE, 0, COMITY_VIEW_LIVE, nullptr, 0, &count);
    }
    return status;
  }
  // What it has pushed is gone where it fails.
  comity_status spread() {
    const comity_status status = comity_context_spread(context_, COMITY_PU);
    std::int32_t depth = 0;
    EXPECT_EQ(comity_context_depth(context_, &depth), COMITY_OK);
    EXPECT_EQ(depth, status == COMITY_OK ? 2 : 1) << comity_status_name(status);
    return status == COMITY_OK ? comity_context_pop(context_) : status;
  }
  comity_status split() {
    comity_group* group = nullptr;
    comity_status status = comity_group_split(context_, 0, &group);
    if (status == COMITY_OK) status = comity_context_quiesce(context_, group, 0, COMITY_FOREVER);
    (void)comity_group_free(&group);
    return status;
  }

  comity_bootstrap bootstrap_;
  comity_context* context_ = nullptr;
  comity_context* second_ = nullptr;
};

bool creates(Part part) { return part == Part::create || part == Part::again; }

bool needs_peers(Part part) {
  return creates(part) || part == Part::wait || part == Part::spread || part == Part::split || part == Part::phase;
}

void be_victim(node::Bootstrap& job, InterruptWords& words, Part fatal) {
  Life life(job);
  for (const Part part : kParts) {
    std::optional<Step> step;
    if (part == fatal) step.emplace(words);
    const comity_status status = life.live(part);
    EXPECT_EQ(status, COMITY_OK) << comity_last_error();
  }
}

void expect_next_context_works(Meeting& meeting, int rank) {
  MeetingBootstrap left(meeting, rank, kRanks - 1);
  const comity_bootstrap bootstrap = callbacks(left);
  comity_context* context = nullptr;
  ASSERT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_OK) << comity_last_error();
  std::int32_t size = 0;
  EXPECT_EQ(comity_context_size(context, &size), COMITY_OK);
  EXPECT_EQ(size, kRanks - 1);
  EXPECT_EQ(comity_context_push(context, COMITY_MACHINE, 0), COMITY_OK);
  EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK);
  EXPECT_EQ(comity_context_free(&context), COMITY_OK);
}

// Returns once the victim has slept in the wait, has looked after its peers and sleeps again, or has been struck before: who
// comes last to a wait need not sleep, and no blow would fall inside it.
void let_victim_sleep(const InterruptWords& blow) {
  int stops_at_sleep = 0;
  const auto sleeps_again = [&] {
    const int stops = blow.stops.load();
    if (blow.counting.load() == 0 || state_of(blow.victim.load()) != 'S') return false;
    if (stops_at_sleep == 0) stops_at_sleep = stops;
    return stops > stops_at_sleep + 1;  // more than the end of the sleep
  };
  EXPECT_TRUE(becomes_true([&] { return blow.struck.load() || blow.refused.load() || sleeps_again(); }));
}

// Lives until a part tells of the death; without one, every part must work.
bool told_of_death(node::Bootstrap& job, Part fatal, const InterruptWords& blow) {
  Life life(job);
  for (const Part part : kParts) {
    if (part == fatal && part == Part::wait) let_victim_sleep(blow);
    const comity_status status = life.live(part);
    if (status == COMITY_OK) continue;
    const char* const name = kPartNames[static_cast<std::size_t>(part)];
    EXPECT_TRUE(needs_peers(part)) << name << " is this rank's own matter: " << comity_last_error();
    EXPECT_TRUE(status == COMITY_ERR_PEER_LOST || (creates(part) && status == COMITY_ERR_MPI))
        << name << ": " << comity_status_name(status) << ": " << comity_last_error();
    EXPECT_EQ(life.end(), COMITY_OK) << comity_last_error();
    return true;
  }
  EXPECT_EQ(life.end(), COMITY_OK) << comity_last_error();
  try {
    (void)job.job_sum(0);
    return false;
  } catch (const std::exception&) {
    return true;  // killed while it freed its context: only the job knows
  }
}

struct Plan {
  const char* handover;
  int victim;
  Part part;
  bool real_machine;
  Blow blow;
  const char* slice_ms = kShortSlice_ms;  // nullptr: the one that a program has which sets none
};

std::ostream& operator<<(std::ostream& out, const Plan& plan) {
  return out << plan.handover << ", rank " << plan.victim << ", " << kPartNames[static_cast<std::size_t>(plan.part)];
}

// Queries and distributions read the segment, and a binding that is only simulated is a note: they make no system call.
bool is_silent(const Plan& plan) {
  const bool reads = plan.part == Part::query || plan.part == Part::distribute;
  const bool moves_threads = plan.part == Part::push || plan.part == Part::pop;
  return reads || (moves_threads && !plan.real_machine);
}

// By what its blows are counted. With a sanitizer's checks a part has so many instructions that the way through them takes
// longer than a test may; there the blows of a silent part fall before and after it.
Grain grain_of(const Plan& plan) {
  return is_silent(plan) && !kHasSanitizer ? Grain::instructions : Grain::system_calls;
}

// How many stops a part has at the least, those of its Step among them: what was counted, less what comes and goes with
// the moment (who comes last to a wait need not sleep). A sweep that finds fewer is blind.
int least_stops(const Plan& plan) {
  const bool real = plan.real_machine;
  if (is_silent(plan)) return kStopsOfStep;
  switch (plan.part) {
    case Part::create:
      return plan.victim == 0 ? 60 : 40;
    case Part::again:
      return real ? 18 : kStopsOfStep;
    case Part::push:
      return 18;
    case Part::spread:
      return real ? 12 : kStopsOfStep;
    case Part::split:
      return 8;
    case Part::phase:
      return real && plan.victim == 0 ? 14 : kStopsOfStep;  // rank 0 alone is selected
    case Part::pop:
    case Part::free:
      return real ? 8 : 6;
    case Part::wait:
      return 12;  // asleep, awake to look after two peers, and asleep again
    case Part::query:
    case Part::distribute:
      break;
  }
  return kStopsOfStep;
}

void survive(ForkBootstrap& job, Scene& scene, const Plan& plan, int nth) {
  const int place = job.job_rank() - (job.job_rank() > plan.victim ? 1 : 0);
  const std::size_t descriptors = open_descriptors();
  std::optional<Interrupter> interrupter;
  if (place == 0) interrupter.emplace(scene.blow, nth, plan.blow, grain_of(plan));
  const ToldInTime in_time;
  const bool told = told_of_death(job, plan.part, scene.blow);
  const std::int64_t after_ns = in_time.after_ns(job.ended_ns(plan.victim));
  const bool struck = scene.blow.struck.load();
  if (interrupter) interrupter->finish();
  EXPECT_EQ(told, struck && plan.blow == Blow::kill);
  if (told) {
    EXPECT_LT(after_ns, kTellWithin_ns);
    expect_next_context_works(scene.survivors, place);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

enum class Found { struck, fewer_stops, cannot_trace };

struct Run {
  Found found;
  int stops;  // of the victim in the part: up to the blow, or all
};

Run run_once(const Plan& plan, int nth) {
  const os::Mapping memory = os::Mapping::anonymous(sizeof(Scene));
  auto& scene = *reinterpret_cast<Scene*>(memory.bytes().data());
  const auto ends = run_ranks(kRanks,
                              [&](ForkBootstrap& job) {
                                if (job.job_rank() != plan.victim) return survive(job, scene, plan, nth);
                                VictimsJob own(job, scene.blow);
                                be_victim(own, scene.blow, plan.part);
                                (void)own.job_sum(0);
                              },
                              {.quiet_about = plan.victim});
  const bool struck = scene.blow.struck.load();
  if (struck) ++(plan.blow == Blow::kill ? Tally::killed : Tally::stopped);
  for (int rank = 0; rank < kRanks; ++rank) {
    const RankEnd& end = ends[static_cast<std::size_t>(rank)];
    const bool killed = rank == plan.victim && struck && plan.blow == Blow::kill;
    EXPECT_EQ(end.signal, killed ? SIGKILL : 0) << "rank " << rank;
    EXPECT_EQ(end.exit_code, killed ? -1 : 0) << "rank " << rank;
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process stayed behind";
  const int stops = scene.blow.stops.load();
  if (scene.blow.refused.load()) return {Found::cannot_trace, stops};
  return {struck ? Found::struck : Found::fewer_stops, stops};
}

int setting(const char* name, int without_it = 1) {
  const char* const text = std::getenv(name);
  return text == nullptr ? without_it : std::max(1, std::atoi(text));
}

int stride() { return setting("STOP_STRIDE"); }

void prepare_for(const Plan& plan) {
  if (plan.slice_ms == nullptr) {
    unsetenv("COMITY_NODE_SLICE_MS");
  } else {
    setenv("COMITY_NODE_SLICE_MS", plan.slice_ms, 1);
  }
  setenv("COMITY_NODE_HANDOVER", plan.handover, 1);
  unsetenv("HWLOC_SYNTHETIC");
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);  // how many there are says nothing of ours, and each has stops
  if (!plan.real_machine) setenv("HWLOC_SYNTHETIC", "package:2 core:2 pu:1", 1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans of ranks become ours, and are missed
}

// At which stops the blows of a sweep fall, and how many of them must.
struct Blows {
  int first;
  int step;
  int end;  // before it
  int least;
};

Blows by_system_calls(const Plan& plan, int step) {
  const int first = setting("STOP_FIRST");
  const int least = least_stops(plan);
  return {first, step, kMostStops, least < first ? 0 : (least - first) / step + 1};
}

// Evenly over the instructions of a run without a blow; another run has somewhat more or fewer. They are few
// unless KILLS asks for more: the way to each goes instruction by instruction, with two processes to wake for one, which
// takes long where others want the cores.
Blows by_instructions(const Plan& plan) {
  const int count = plan.blow == Blow::kill ? setting("KILLS", 6) : 4;
  const int stops = run_once(plan, kOnlyCount).stops;
  const int step = std::max(1, stops / count);
  return {1, step, 1 + count * step, count * 3 / 4};
}

// Returns how many runs ended in a blow.
int sweep(const Plan& plan, const Blows& blows) {
  int runs = 0;
  for (int nth = blows.first; nth < blows.end && !::testing::Test::HasFailure(); nth += blows.step) {
    SCOPED_TRACE(::testing::PrintToString(plan) + ", stop " + std::to_string(nth));
    const Found found = run_once(plan, nth).found;
    if (found == Found::cannot_trace) return -1;
    if (found == Found::fewer_stops) break;
    ++runs;
  }
  return runs;
}

void expect_swept(const Plan& plan, int step) {
  const HandOverFolder folder;
  setenv("COMITY_NODE_DIRECTORY", folder.path().c_str(), 1);
  const SharedMemoryFolder shared_memory;
  prepare_for(plan);
  const Blows blows = grain_of(plan) == Grain::instructions ? by_instructions(plan) : by_system_calls(plan, step);
  const int runs = sweep(plan, blows);
  if (runs < 0) GTEST_SKIP() << "NOT TESTED: the kernel lets no process trace another here (ptrace)";
  std::printf("%s: %d blows\n", ::testing::PrintToString(plan).c_str(), runs);
  EXPECT_GE(runs, blows.least) << "the sweep misses what the rank does in this part";
  EXPECT_EQ(files_of_ours_in(folder.path()), 0);
  EXPECT_TRUE(shared_memory.gets_rid_of_what_is_new());
}

// --- Create, by each way of handing the segment over, killed on the rank that makes it and on one that takes it ---

class KilledInCreate : public ::testing::TestWithParam<std::tuple<const char*, int>> {};
INSTANTIATE_TEST_SUITE_P(HandOver, KilledInCreate,
                         ::testing::Combine(::testing::Values("proc", "socket", "file"), ::testing::Values(0, 2)),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param)) +
                                  (std::get<1>(one.param) == 0 ? "_leader" : "_member");
                         });

TEST_P(KilledInCreate, PeersAreToldAndGoOn) {
  const auto& [handover, victim] = GetParam();
  expect_swept({handover, victim, Part::create, false, Blow::kill}, stride());
}

// --- The other parts of a life, on the real machine: threads are moved ---

class KilledInUse : public ::testing::TestWithParam<Part> {};
INSTANTIATE_TEST_SUITE_P(Parts, KilledInUse, ::testing::ValuesIn(kParts.begin() + 1, kParts.end()),
                         [](const auto& one) { return kPartNames[static_cast<std::size_t>(one.param)]; });

TEST_P(KilledInUse, PeersAreToldAndGoOn) {
  const char* const only = std::getenv("VICTIM");
  for (const int victim : {0, 1}) {
    if (only != nullptr && std::atoi(only) != victim) continue;
    expect_swept({"auto", victim, GetParam(), true, Blow::kill}, stride());
  }
}

// --- By the slice that is set where nobody sets one: with the short one above, a second is 50 of them ---

TEST(KilledAtTheDefaultSlice, PeersAreToldWithinASecond) {
  expect_swept({"auto", 0, Part::create, false, Blow::kill, nullptr}, 30 * stride());
  expect_swept({"auto", 2, Part::create, false, Blow::kill, nullptr}, 20 * stride());
  for (const int victim : {0, 1}) expect_swept({"auto", victim, Part::wait, true, Blow::kill, nullptr}, 5 * stride());
}

// --- Stopped, not dead ---

class Stopped : public ::testing::TestWithParam<Part> {};
INSTANTIATE_TEST_SUITE_P(Parts, Stopped, ::testing::ValuesIn(kParts),
                         [](const auto& one) { return kPartNames[static_cast<std::size_t>(one.param)]; });

TEST_P(Stopped, ARankIsWaitedForHoweverLong) {
  // Each blow lasts long: create is sampled, but never less than at three places.
  const int step = GetParam() == Part::create ? 3 * stride() + 20 : stride();
  expect_swept({"auto", 1, GetParam(), false, Blow::stop_for_a_while}, step);
}

}  // namespace
}  // namespace comity::testing
