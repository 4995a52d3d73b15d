// SPDX-License-Identifier: BSD-3-Clause
// What a push does to real threads of a real process: OpenMP teams, threads with masks of their own, helpers that sleep
// in poll. Built once a runtime (GNU, LLVM). Needs two cores; with one it says so and checks what is left.
#include <comity/comity.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <latch>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "context/begun_in_library.hpp"
#include "context/regions.hpp"
#include "node/left_by_llvm.hpp"
#include "node/process_state.hpp"
#include "os/threads/thread_origins.hpp"
#include "os/threads/threads.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::have_a_core_each;
using comity::testing::LibraryThread;
using comity::testing::regions_not_even;
using comity::testing::regions_with_a_shared_core;

constexpr int kRegions = 1000;

cpu_set_t own_mask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof(mask), &mask);
  return mask;
}

template <typename Thread>
cpu_set_t mask_of(Thread& thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  pthread_getaffinity_np(thread.native_handle(), sizeof(mask), &mask);
  return mask;
}

bool equal(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }

void bind_self(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
}

int lowest_cpu() {
  const cpu_set_t mask = own_mask();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) return cpu;
  }
  return -1;
}

cpu_set_t machine_mask(const Context& context) {
  const comity_cpuset set = context.cpuset(Resource::machine, 0);
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if ((set.words[cpu / 64] >> (cpu % 64) & 1U) != 0) CPU_SET(cpu, &mask);
  }
  return mask;
}

int lowest_cpu_of(const Context& context, int core) {
  const comity_cpuset set = context.cpuset(Resource::core, core);
  for (int cpu = 0; cpu < COMITY_CPUSET_CAPACITY; ++cpu) {
    if ((set.words[cpu / 64] >> (cpu % 64) & 1U) != 0) return cpu;
  }
  return -1;
}

// Another process that burns one CPU until it is dropped.
class Hog {
 public:
  explicit Hog(int cpu) : child_(fork()) {
    if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork a process that hogs a core");
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever happens to the test, nothing goes on burning a core
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    if (sched_setaffinity(0, sizeof(mask), &mask) != 0) _exit(kNotThere);
    while (true) asm volatile("" ::: "memory");
  }
  ~Hog() {
    kill(child_, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it had ended, or hogged no core";
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

 private:
  static constexpr int kNotThere = 1;

  pid_t child_;
};

// A thread that stays inside one step until it is told to go on.
class Held {
 public:
  template <typename Before>
  explicit Held(Before before)
      : thread_([this, before] {
          before();
          ready_.store(true);
          ready_.notify_all();
          go_on_.wait(false);
        }) {
    ready_.wait(false);
  }
  ~Held() {
    go_on_.store(true);
    go_on_.notify_all();
    thread_.join();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  [[nodiscard]] cpu_set_t mask() { return mask_of(thread_); }

 private:
  std::atomic<bool> ready_{false};
  std::atomic<bool> go_on_{false};
  std::thread thread_;
};

class Threads : public testing::Test {
 protected:
  Threads() : before_(own_mask()), cores_(Context::local().count(Resource::core)) {}
  ~Threads() override { sched_setaffinity(0, sizeof(before_), &before_); }

  [[nodiscard]] int team() const { return cores_; }

  cpu_set_t before_;
  int cores_;
};

// What needs an idle member, or masks that differ.
class ThreadsOnTwoCores : public Threads {
 protected:
  void SetUp() override {
    if (cores_ < 2) GTEST_SKIP() << "NOT TESTED: there is one core only";
  }
};

TEST_F(ThreadsOnTwoCores, EveryMemberHasItsOwnCoreInEachOfAThousandRegionsTheFirstIncluded) {
  bind_self(lowest_cpu());
  Context context = Context::local();
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_with_a_shared_core(kRegions, team()), 0);
  context.pop();
}

TEST_F(ThreadsOnTwoCores, AnotherProcessHoggingACoreChangesNothing) {
  bind_self(lowest_cpu());
  const Hog hog(lowest_cpu());
  Context context = Context::local();
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_with_a_shared_core(kRegions, team()), 0);
  context.pop();
}

// Where the launcher put the process is where its memory is warm.
TEST_F(ThreadsOnTwoCores, TheFirstMemberStaysOnTheCoreOnWhichTheProcessStarted) {
  for (const int home : {1, 0}) {
    bind_self(lowest_cpu_of(Context::local(), home));
    Context context = Context::local();
    context.push(Resource::machine, 0);
    std::vector<int> cpus(static_cast<std::size_t>(team()), -1);
#pragma omp parallel num_threads(team())
    cpus[static_cast<std::size_t>(omp_get_thread_num())] = lowest_cpu();
    for (std::size_t member = 0; member < cpus.size(); ++member) {
      const int core = (home + static_cast<int>(member)) % cores_;
      EXPECT_EQ(cpus[member], lowest_cpu_of(context, core)) << "member " << member << ", at home on core " << home;
    }
    context.pop();
  }
}

TEST_F(ThreadsOnTwoCores, APoolThatWasMadeUnderANarrowMaskIsSpreadAtEachPush) {
  bind_self(lowest_cpu());
  (void)regions_with_a_shared_core(3, team());  // the pool exists now, all on one CPU
  Context context = Context::local();
  for (int round = 0; round < 20; ++round) {
    context.push(Resource::machine, 0);
    EXPECT_EQ(regions_with_a_shared_core(50, team()), 0) << "round " << round;
    context.pop();
  }
}

// Each thread has a pool of its own; both exist, and no thread is born between the pushes.
TEST_F(ThreadsOnTwoCores, TheTeamOfASecondThreadIsPlacedThoughTheFirstOnesWasTheLast) {
  Context context = Context::local();
  const auto push_twice = [&](const char* who) {
    for (int round = 0; round < 2; ++round) {  // placed from inside a region, then by thread id
      context.push(Resource::machine, 0);
      EXPECT_EQ(regions_not_even(context, 20, team()), 0) << who << ", round " << round;
      context.pop();
    }
  };
  std::binary_semaphore pool_is_made{0};
  std::binary_semaphore first_is_placed{0};
  std::thread second([&] {
    (void)regions_with_a_shared_core(1, team());
    pool_is_made.release();
    first_is_placed.acquire();
    push_twice("second");
  });
  pool_is_made.acquire();
  push_twice("first");
  first_is_placed.release();
  second.join();
}

std::vector<pid_t> threads_of_team(int size) {
  std::vector<pid_t> threads(static_cast<std::size_t>(size));
#pragma omp parallel num_threads(size)
  threads[static_cast<std::size_t>(omp_get_thread_num())] = gettid();
  return threads;
}

// As far as the shell says: else they may spin without an end.
bool idle_members_sleep() {
  const auto is_unset = [](const char* name) { return std::getenv(name) == nullptr; };
  return is_unset("OMP_WAIT_POLICY") && is_unset("GOMP_SPINCOUNT") && is_unset("KMP_BLOCKTIME") &&
         is_unset("KMP_LIBRARY");
}

// How often it has gone to sleep, once it sleeps; -1: it has ended.
long sleeps_of(pid_t thread) {
  for (;;) {
    std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
    if (!status) return -1;
    bool asleep = false;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:")) asleep = line.find('S', 6) != std::string::npos;
      if (line.starts_with("voluntary_ctxt_switches:") && asleep) return std::stol(line.substr(24));
    }
    std::this_thread::yield();
  }
}

// Whether pushes place the calling thread's team by thread id once its threads are known. A region would wake the members
// each time; one that has not gone to its long sleep yet, or a thread that ends meanwhile, spoils a round or two.
bool pushes_let_members_sleep(Context& context, int team) {
  context.push(Resource::machine, 0);
  const std::vector<pid_t> members = threads_of_team(team);
  context.pop();
  for (int round = 0; round < 10; ++round) {
    const long before = sleeps_of(members.back());
    context.push(Resource::machine, 0);
    context.pop();
    if (sleeps_of(members.back()) == before) return true;
  }
  return false;
}

TEST_F(ThreadsOnTwoCores, APushWakesNoMemberWhileNoThreadIsBornOrEnds) {
  if (!idle_members_sleep()) GTEST_SKIP() << "NOT TESTED: the shell sets how idle OpenMP threads wait";
  Context context = Context::local();
  EXPECT_TRUE(pushes_let_members_sleep(context, team()));
}

// The C library gives the handle (pthread_self) of a thread that has ended to a new one.
TEST_F(ThreadsOnTwoCores, AThreadIsKnownByItselfThoughItHasTheHandleOfAnotherThatPushed) {
  if (!idle_members_sleep()) GTEST_SKIP() << "NOT TESTED: the shell sets how idle OpenMP threads wait";
  Context context = Context::local();
  pthread_t handle{};
  std::thread([&] {
    handle = pthread_self();
    EXPECT_TRUE(pushes_let_members_sleep(context, team()));
  }).join();
  bool met = false;
  std::latch done(1);
  std::vector<std::thread> others;  // alive to the end, so that none is given a handle twice
  for (int attempt = 0; attempt < 16 && !met; ++attempt) {
    std::latch looked(1);
    others.emplace_back([&] {
      if (pthread_equal(pthread_self(), handle) != 0) {
        met = true;
        EXPECT_TRUE(pushes_let_members_sleep(context, team()));
      }
      looked.count_down();
      done.wait();
    });
    looked.wait();
  }
  done.count_down();
  for (std::thread& other : others) other.join();
  if (!met) GTEST_SKIP() << "NOT TESTED: the C library gave the handle to no other thread";
}

// In how many regions two members of `outer` teams of `inner` met on one core.
int nested_regions_with_a_shared_core(int regions, int outer, int inner) {
  int shared = 0;
  for (int region = 0; region < regions; ++region) {
    std::vector<int> cpus(static_cast<std::size_t>(outer * inner), -1);
#pragma omp parallel num_threads(outer)
    {
      const int first = omp_get_thread_num() * inner;
#pragma omp parallel num_threads(inner)
      cpus[static_cast<std::size_t>(first + omp_get_thread_num())] = sched_getcpu();
    }
    shared += have_a_core_each(cpus) ? 0 : 1;
  }
  return shared;
}

TEST_F(ThreadsOnTwoCores, OuterMembersOfNestedTeamsHaveACoreEach) {
  omp_set_num_threads(
      team());  // LLVM's counts CPUs at its first use, which may have been on one; the rule goes by this
  bind_self(lowest_cpu());
  omp_set_max_active_levels(2);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  EXPECT_EQ(nested_regions_with_a_shared_core(kRegions, team(), 1), 0);
  context.pop();
  omp_set_max_active_levels(1);
}

// GNU's runtime makes the inner team anew, from its master's mask: that must not be one core.
TEST_F(ThreadsOnTwoCores, NoTwoMembersOfANestedTeamAreConfinedToOneCore) {
  bind_self(lowest_cpu());
  omp_set_max_active_levels(2);
  omp_set_num_threads(1);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  std::vector<int> confined_to(static_cast<std::size_t>(team()), -1);
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(team())
  {
    const cpu_set_t mine = own_mask();
    if (CPU_COUNT(&mine) == 1) confined_to[static_cast<std::size_t>(omp_get_thread_num())] = lowest_cpu();
  }
  std::erase(confined_to, -1);
  EXPECT_EQ(std::set<int>(confined_to.begin(), confined_to.end()).size(), confined_to.size());
  context.pop();
  omp_set_num_threads(cores_);
  omp_set_max_active_levels(1);
}

TEST_F(Threads, ThePoolIsPutBackAtThePop) {
  const int home = lowest_cpu();
#pragma omp parallel num_threads(team())  // its members may have been elsewhere before, and would be again
  bind_self(home);
  const cpu_set_t narrow = own_mask();
  Context context = Context::local();
  context.push(Resource::machine, 0);
  (void)regions_with_a_shared_core(3, team());
  context.pop();
  EXPECT_TRUE(equal(own_mask(), narrow));
  int elsewhere = 0;
#pragma omp parallel num_threads(team()) reduction(+ : elsewhere)
  elsewhere += equal(own_mask(), narrow) ? 0 : 1;
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Threads, APhaseSizesTheTeamToItsObjectAndRestoresTheSize) {
  bind_self(lowest_cpu());
  omp_set_num_threads(1);
  Context context = Context::local();
  int size = 0;
  const bool ran = context.phase(Resource::machine, 1, [&] {
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    EXPECT_EQ(regions_with_a_shared_core(100, size), 0);
  });
  EXPECT_TRUE(ran);
  EXPECT_EQ(size, cores_);
  EXPECT_EQ(omp_get_max_threads(), 1);
  omp_set_num_threads(cores_);
}

int thread_count() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return -1;
}

bool all_others_sleep() {
  const auto own = std::to_string(gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string thread = task.path().filename();
    if (thread != own && comity::testing::state_of(std::stoi(thread)) != 'S') return false;
  }
  return true;
}

// Members of a team that has been ended count until the kernel has seen them off; those that stay sleep, sooner or later.
int thread_count_at_rest() {
  constexpr int kLongest_ms = 10'000;  // where the shell says that they spin for ever
  for (int waited_ms = 0; !all_others_sleep() && waited_ms < kLongest_ms; ++waited_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return thread_count();
}

TEST_F(ThreadsOnTwoCores, TheTeamBurnsNoCoreAfterThePhaseAndComesBackPlaced) {
  Context context = Context::local();
  const auto cpu_ns = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000L + time.tv_nsec;
  };
  constexpr int kRounds = 20;
  int rounds_burnt = 0;
  for (int round = 0; round < kRounds; ++round) {
    context.phase(Resource::machine, 1, [&] { EXPECT_EQ(regions_with_a_shared_core(20, team()), 0); });
    // Work of this thread alone: what the process burns beyond it is the idle team. GNU's would spin for milliseconds.
    const long process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    const long mine = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - mine < 5'000'000) {
    }
    const long others = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process - (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - mine);
    if (others >= 3'000'000L * (team() - 1)) ++rounds_burnt;
  }
  EXPECT_LE(rounds_burnt, kRounds / 4) << "of all rounds; the kernel may count to a member what it did for others";
}

TEST_F(Threads, WidthLimitsTheTeam) {
  Context context = Context::local();
  int size = 0;
  context.phase(
      Resource::machine, 1,
      [&] {
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        EXPECT_EQ(context.width().cores, 1);
      },
      1);
  EXPECT_EQ(size, 1);
}

TEST_F(Threads, AnExceptionOfTheBodyLeavesThePhaseAsItWasEntered) {
  bind_self(lowest_cpu());
  const cpu_set_t narrow = own_mask();
  Context context = Context::local();
  EXPECT_THROW(context.phase(Resource::machine, 1, [] { throw std::runtime_error("body"); }), std::runtime_error);
  EXPECT_TRUE(equal(own_mask(), narrow));
  EXPECT_EQ(context.depth(), 0);
  EXPECT_TRUE(context.phase(Resource::machine, 1, [] {}));
}

TEST_F(Threads, APhaseEndsWithWhatItsBodyPushedAndDidNotPop) {
  Context context = Context::local();
  EXPECT_THROW(context.phase(Resource::machine, 1,
                             [&] {
                               context.push(Resource::core, 0);
                               throw std::runtime_error("body");
                             }),
               std::runtime_error);
  EXPECT_EQ(context.depth(), 0);
  EXPECT_TRUE(equal(own_mask(), before_));
  context.push(Resource::core, 0);
  context.phase(Resource::machine, 1, [&] { context.push(Resource::core, 0); });
  EXPECT_EQ(context.depth(), 1);
  context.pop();
}

TEST_F(ThreadsOnTwoCores, AThreadBornUnderAnInnerPushGetsTheOuterBindingBack) {
  Context context = Context::local();
  context.push(Resource::machine, 0);  // places the team: this thread is pinned to one core
  context.push(Resource::core, 1);
  Held thread([] {});
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), machine_mask(context)));
  context.pop();
}

TEST_F(Threads, FreeingWithoutDescriptorsLeftStillGivesTheBindingBack) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  std::vector<int> taken;
  for (int file = dup(0); file >= 0; file = dup(0)) taken.push_back(file);
  { const Context moved = std::move(context); }
  for (const int file : taken) close(file);
  EXPECT_TRUE(equal(own_mask(), before_));
}

TEST_F(Threads, AForkChildCannotMoveItsParent) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  const cpu_set_t pushed = own_mask();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool told = comity_context_push(context.handle(), COMITY_MACHINE, 0) == COMITY_ERR_HANDLE &&
                      comity_context_pop(context.handle()) == COMITY_ERR_HANDLE &&
                      comity_context_spread(context.handle(), COMITY_CORE) == COMITY_ERR_HANDLE;
    { const Context freed = std::move(context); }
    _exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  comity::testing::remove_what_llvm_left(child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(equal(own_mask(), pushed));
  EXPECT_EQ(context.depth(), 1);
  EXPECT_EQ(context.peers_in(Resource::core, 0, comity::View::live).size(), 1U);
}

TEST_F(Threads, AForkChildHasContextsOfItsOwnAndTakesNothingFromItsParent) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  for (int child_number = 0; child_number < 150; ++child_number) {  // more than a segment has groups
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      comity_context* own = nullptr;
      const bool works = comity_context_create_local(&own) == COMITY_OK &&
                         comity_context_push(own, COMITY_MACHINE, 0) == COMITY_OK &&
                         comity_context_pop(own) == COMITY_OK && comity_context_free(&own) == COMITY_OK;
      _exit(works ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    comity::testing::remove_what_llvm_left(child);
    ASSERT_EQ(status, 0) << comity_last_error();
  }
  EXPECT_EQ(context.depth(), 1);
  EXPECT_TRUE(context.split(0));
}

TEST_F(Threads, FreeingInsideAPhaseRestoresTheSizeOfTheTeam) {
  omp_set_num_threads(1);
  {
    Context context = Context::local();
    std::int32_t selected = 0;
    ASSERT_EQ(comity_context_enter(context.handle(), COMITY_MACHINE, 1, 0, &selected), COMITY_OK);
    ASSERT_EQ(omp_get_max_threads(), cores_);
  }
  EXPECT_EQ(omp_get_max_threads(), 1);
  EXPECT_TRUE(equal(own_mask(), before_));
  omp_set_num_threads(cores_);
}

TEST_F(ThreadsOnTwoCores, AMaskChangedFromOutsideIsSeenLiveAfterARefresh) {
  Context context = Context::local();
  bind_self(lowest_cpu());
  context.refresh();
  for (int core = 0; core < cores_; ++core) {
    EXPECT_EQ(context.peers_in(Resource::core, core, comity::View::live),
              context.peers_in(Resource::core, core, comity::View::published))
        << core;
  }
  EXPECT_EQ(context.peers_in(Resource::core, 0, comity::View::live).size(), 1U);
  EXPECT_TRUE(context.peers_in(Resource::core, cores_ - 1, comity::View::live).empty());
}

// A placed team's first member has one core of the binding, which is none from outside.
TEST_F(ThreadsOnTwoCores, ARefreshUnderATeamsPushFindsTheBindingAsItWasPushed) {
  Context context = Context::local();
  for (int round = 0; round < 3; ++round) {  // placed from inside a region, then by thread id
    context.push(Resource::machine, 0);
    const std::string pushed = context.binding_string();
    context.refresh();
    EXPECT_EQ(context.binding_string(), pushed) << round;
    EXPECT_EQ(context.width().cores, cores_) << round;
    context.pop();
  }
  context.push(Resource::machine, 0);
  const cpu_set_t placed = own_mask();
  const int elsewhere = CPU_ISSET(lowest_cpu_of(context, 0), &placed) != 0 ? 1 : 0;
  bind_self(lowest_cpu_of(context, elsewhere));
  context.refresh();
  EXPECT_EQ(context.width().cores, 1);
  EXPECT_TRUE(context.encloses(Resource::core, elsewhere));
  context.pop();
  EXPECT_TRUE(equal(own_mask(), before_));
}

TEST_F(ThreadsOnTwoCores, AThreadBornSinceTheLastPushIsReachedByTheNext) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  context.pop();
  Held thread([] {});
  context.push(Resource::core, 1);
  const cpu_set_t pushed = own_mask();
  EXPECT_TRUE(equal(thread.mask(), pushed));
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), before_));
}

TEST_F(Threads, AThreadBornUnderAPushGetsTheProcessMaskAtThePop) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  Held thread([] {});
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), before_));
}

TEST_F(ThreadsOnTwoCores, AThreadThatItsOwnerPinnedGetsItsOwnMaskBack) {
  const int pinned_to = lowest_cpu();
  Held thread([&] { bind_self(pinned_to); });
  const cpu_set_t pinned = thread.mask();
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_FALSE(equal(thread.mask(), pinned));
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), pinned));
}

constexpr const char* kNotSeen = "NOT TESTED: this kernel does not tell what a thread sleeps in";

// A thread that sleeps in poll, of a library: as the progress threads of MPI, PMIx and UCX do.
class Poller {
 public:
  enum class Begin { at_once, when_told };
  explicit Poller(Begin begin = Begin::at_once) {
    if (pipe2(pipe_.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    thread_.emplace([this] {
      id_.store(gettid());
      while (!begun_.load()) std::this_thread::yield();
      pollfd wait{pipe_[0], POLLIN, 0};
      (void)poll(&wait, 1, -1);
      awake_.store(true);
      while (!done_.load()) std::this_thread::yield();
    });
    if (begin == Begin::at_once) start();
  }
  // Sleeps in poll from here on, or until it is known that the kernel does not tell.
  void start() {
    begun_.store(true);
    constexpr int kLongest_ms = 10'000;
    for (int asleep_ms = 0; asleep_ms < kLongest_ms && !(is_seen_ = in_poll());) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (id_.load() != 0 && comity::testing::state_of(id_.load()) == 'S') ++asleep_ms;
    }
  }
  ~Poller() {
    end();
    close(pipe_[0]);
    close(pipe_[1]);
  }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // What a create sees too.
  [[nodiscard]] bool is_seen() const { return is_seen_; }
  [[nodiscard]] cpu_set_t mask() { return mask_of(*thread_); }
  // From here on it works, as a progress thread does while there are messages.
  void wake() {
    (void)!write(pipe_[1], "x", 1);
    while (!awake_.load()) std::this_thread::yield();
  }
  // Back when the kernel lists the thread no more, which may be after the join.
  void end() {
    if (!thread_->joinable()) return;
    done_.store(true);
    begun_.store(true);
    wake();
    thread_->join();
    while (std::filesystem::exists("/proc/self/task/" + std::to_string(id_.load()))) std::this_thread::yield();
  }

 private:
  [[nodiscard]] bool in_poll() const { return id_.load() != 0 && comity::os::sleeps_in_poll(id_.load()); }

  bool is_seen_ = false;
  std::array<int, 2> pipe_{};
  std::atomic<pid_t> id_{0};
  std::atomic<bool> begun_{false};
  std::atomic<bool> awake_{false};
  std::atomic<bool> done_{false};
  std::optional<LibraryThread> thread_;
};

TEST_F(ThreadsOnTwoCores, AThreadThatSleptInPollAtCreateIsLeftAlone) {
  Poller helper;
  if (!helper.is_seen()) GTEST_SKIP() << kNotSeen;
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_TRUE(equal(helper.mask(), before_));
  context.pop();
  EXPECT_TRUE(equal(helper.mask(), before_));
}

TEST_F(ThreadsOnTwoCores, AThreadThatSleptInPollAtTheFirstCreateIsLeftAloneThoughItIsAwakeAtALaterOne) {
  Poller helper;
  if (!helper.is_seen()) GTEST_SKIP() << kNotSeen;
  const Context first = Context::local();
  helper.wake();
  Context second = Context::local();
  second.push(Resource::core, 1);
  EXPECT_TRUE(equal(helper.mask(), before_));
  second.pop();
  EXPECT_TRUE(equal(helper.mask(), before_));
}

// Half of the time in poll, half of it at work: as a progress thread that has just been asked for something.
class OftenAwake {
 public:
  OftenAwake() {
    while (id_.load() == 0) std::this_thread::yield();
  }
  ~OftenAwake() { done_.store(true); }
  OftenAwake(const OftenAwake&) = delete;
  OftenAwake& operator=(const OftenAwake&) = delete;
  [[nodiscard]] cpu_set_t mask() { return mask_of(thread_); }

 private:
  std::atomic<pid_t> id_{0};
  std::atomic<bool> done_{false};
  LibraryThread thread_{[this] {
    id_.store(gettid());
    while (!done_.load()) {
      const timespec rest{0, 100'000};
      (void)ppoll(nullptr, 0, &rest, nullptr);
      const std::int64_t end_ns = comity::now_ns() + 100'000;
      while (comity::now_ns() < end_ns) {
      }
    }
  }};
};

// While it lives this process can open no file.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &former_), 0);
    const rlimit none{0, former_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &former_), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit former_{};
};

constexpr const char* kNoOrigins = "NOT TESTED: nobody tells where a thread begins, or a sanitizer begins them all";

bool origins_are_known() {
  std::atomic<pid_t> id{0};
  const Held thread([&] { id.store(gettid()); });
  return comity::os::ThreadOrigins().is_in_program(id.load());
}

// A look at one moment would take every second of them for a thread that works.
TEST_F(ThreadsOnTwoCores, AHelperThatIsAwakeAtCreateIsWaitedFor) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  if (!Poller().is_seen()) GTEST_SKIP() << kNotSeen;
  constexpr int kHelpers = 40;
  int moved = 0;
  for (int i = 0; i < kHelpers; ++i) {
    OftenAwake helper;
    Context context = Context::local();
    context.push(Resource::core, 1);
    moved += equal(helper.mask(), before_) ? 0 : 1;
  }
  EXPECT_LT(moved, kHelpers / 4);
}

TEST_F(ThreadsOnTwoCores, AThreadOfTheProgramThatSleptInPollAtCreateIsMoved) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  std::atomic<pid_t> id{0};
  std::thread poller([&] {
    id.store(gettid());
    pollfd wait{ends[0], POLLIN, 0};
    (void)poll(&wait, 1, -1);
  });
  while (id.load() == 0 || comity::testing::state_of(id.load()) != 'S') std::this_thread::yield();
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_TRUE(equal(mask_of(poller), own_mask()));
  context.pop();
  EXPECT_TRUE(equal(mask_of(poller), before_));
  close(ends[1]);
  poller.join();
  close(ends[0]);
}

TEST_F(ThreadsOnTwoCores, WhereTeamsAreKeptMembersHaveACoreEachAndNoneIsStarted) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  bind_self(lowest_cpu());
  (void)regions_with_a_shared_core(1, team());  // now the team is there
  const int threads = thread_count_at_rest();
  omp_set_num_threads(team() + 1);  // what a push that starts members would go by
  Context context = Context::local();
  context.set_teams(comity::Teams::keep);
  for (int round = 0; round < 3; ++round) {
    context.push(Resource::machine, 0);
    EXPECT_EQ(thread_count(), threads) << round;
    EXPECT_EQ(regions_with_a_shared_core(20, team()), 0) << round;
    context.pop();
  }
  EXPECT_EQ(thread_count(), threads);
  omp_set_num_threads(team());
}

// What asks where threads begin needs a descriptor.
TEST_F(ThreadsOnTwoCores, MembersHaveACoreEachThoughAnEarlierPushHadNoDescriptorLeft) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  bind_self(lowest_cpu());
  (void)regions_with_a_shared_core(1, team());
  (void)thread_count_at_rest();
  Context context = Context::local();
  context.set_teams(comity::Teams::leave);
  context.push(Resource::machine, 0);  // lists the threads
  context.pop();
  context.set_teams(comity::Teams::keep);
  {
    const NoDescriptors none;
    context.push(Resource::machine, 0);
    context.pop();
  }
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_with_a_shared_core(20, team()), 0);
  context.pop();
}

// In a process of its own: LLVM's members stay for good.
class ThreadsBeforeATeam : public ThreadsOnTwoCores {
 protected:
  void SetUp() override {
    ThreadsOnTwoCores::SetUp();
    if (IsSkipped()) return;
    threads_ = thread_count_at_rest();
    if (threads_ > 1) GTEST_SKIP() << "NOT TESTED: this process has other threads already";
  }

  int threads_ = 0;
};

TEST_F(ThreadsBeforeATeam, WhereTeamsAreKeptOrLeftAPhaseStartsNone) {
  const auto expect_none_from = [&](Context context, const char* what) {
    context.phase(Resource::machine, 1, [&] { EXPECT_EQ(thread_count(), threads_) << what; });
    EXPECT_EQ(thread_count(), threads_) << what;
  };
  for (const comity::Teams teams : {comity::Teams::keep, comity::Teams::leave}) {
    Context context = Context::local();
    context.set_teams(teams);
    expect_none_from(std::move(context), "by the context's own word");
  }
  for (const char* word : {"keep", "leave"}) {
    setenv("COMITY_CONTEXT_OPENMP", word, 1);
    expect_none_from(Context::local(), word);
  }
  unsetenv("COMITY_CONTEXT_OPENMP");
}

TEST_F(ThreadsBeforeATeam, WhereTeamsAreKeptAThreadWithoutOneHasAllOfThePushAndSoHaveThreadsBornUnderIt) {
  bind_self(lowest_cpu());
  Context context = Context::local();
  context.set_teams(comity::Teams::keep);
  context.push(Resource::machine, 0);
  EXPECT_EQ(thread_count(), threads_);
  EXPECT_TRUE(equal(own_mask(), machine_mask(context)));
  Held born([] {});
  EXPECT_TRUE(equal(born.mask(), machine_mask(context)));
  context.pop();
}

TEST_F(ThreadsOnTwoCores, WhereTeamsAreLeftAMemberHasAllOfThePush) {
  (void)regions_with_a_shared_core(1, team());
  Context context = Context::local();
  context.set_teams(comity::Teams::leave);
  context.push(Resource::machine, 0);
  for (const pid_t member : threads_of_team(team())) {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(member, sizeof(mask), &mask), 0);
    EXPECT_TRUE(equal(mask, machine_mask(context)));
  }
  context.pop();
}

// There are as many threads as before then.
TEST_F(ThreadsOnTwoCores, AThreadBornAfterTheEndOfAHelperIsReached) {
  Poller helper;
  if (!helper.is_seen()) GTEST_SKIP() << kNotSeen;
  Context context = Context::local();
  context.push(Resource::core, 1);
  context.pop();
  helper.end();
  Held thread([] {});
  context.push(Resource::core, 1);
  EXPECT_TRUE(equal(thread.mask(), own_mask()));
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), before_));
}

TEST_F(ThreadsOnTwoCores, AThreadThatSleepsInPollAtALaterCreateGetsItsMaskBackWhateverIsFreedFirst) {
  Poller late(Poller::Begin::when_told);
  std::optional<Context> first = Context::local();
  first->push(Resource::core, 1);
  EXPECT_TRUE(equal(late.mask(), own_mask()));
  late.start();
  if (!late.is_seen()) GTEST_SKIP() << kNotSeen;
  Context second = Context::local();
  second.push(Resource::core, 0);
  first.reset();
  EXPECT_TRUE(equal(late.mask(), before_));
  second.pop();
  EXPECT_TRUE(equal(late.mask(), before_));
  EXPECT_TRUE(equal(own_mask(), before_));
}

TEST_F(ThreadsOnTwoCores, TheLastFreeGivesEveryThreadItsMaskBack) {
  const int pinned_to = lowest_cpu();
  Held thread([&] { bind_self(pinned_to); });
  const cpu_set_t pinned = thread.mask();
  {
    Context context = Context::local();
    context.push(Resource::core, 1);
    context.push(Resource::machine, 0);
  }
  EXPECT_TRUE(equal(thread.mask(), pinned));
  EXPECT_TRUE(equal(own_mask(), before_));
}

TEST_F(Threads, ARefusedPushChangesNoThread) {
  Context context = Context::local();
  comity_cpuset beyond{};
  beyond.words[COMITY_CPUSET_CAPACITY / 64 - 1] = 1;
  EXPECT_EQ(comity_context_push_cpuset(context.handle(), &beyond), COMITY_ERR_RANGE);
  EXPECT_TRUE(equal(own_mask(), before_));
  EXPECT_EQ(context.depth(), 0);
}

TEST_F(Threads, AContextStartsNoThreadSetsNoSignalAndDrawsNoRandomNumber) {
  const auto signals = [] {
    std::ifstream status("/proc/self/status");
    std::string caught;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigCgt") || line.starts_with("SigIgn") || line.starts_with("SigBlk")) caught += line;
    }
    return caught;
  };
  omp_pause_resource(omp_pause_soft, omp_get_initial_device());  // ends GNU's team, as a phase does
  srand(7);
  const int first = rand();
  srand(7);
  const int threads = thread_count_at_rest();
  const std::string before = signals();
  {
    Context context = Context::local();
    context.quiesce();
    context.push(Resource::core, 0);
    context.pop();
    (void)context.distribute(Resource::core, 1);
    context.quiesce(*context.split(0));
    context.set_smt(comity::Smt::one);
    context.refresh();
    context.set_smt(comity::Smt::all);
    EXPECT_TRUE(context.phase(Resource::core, 1, [] {}));  // one core: no team
    context.spread(Resource::core);
    EXPECT_EQ(thread_count_at_rest(), threads);
    EXPECT_EQ(signals(), before);
  }
  EXPECT_EQ(thread_count_at_rest(), threads);
  EXPECT_EQ(rand(), first);
}

TEST_F(Threads, AWidePhaseHasNoThreadButTheTeams) {
  (void)regions_with_a_shared_core(1, team());  // now the team is there
  const int threads = thread_count_at_rest();
  Context context = Context::local();
  EXPECT_TRUE(context.phase(Resource::machine, 1, [&] {
    (void)regions_with_a_shared_core(1, team());
    EXPECT_EQ(thread_count_at_rest(), threads);
  }));
  EXPECT_LE(thread_count_at_rest(), threads);  // GNU's members have ended
}

}  // namespace
