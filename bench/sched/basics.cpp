// SPDX-License-Identifier: BSD-3-Clause
// Fibers and barriers.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cases.hpp"
#include "common/timing.hpp"
#include "harts.hpp"
#include "pinned.hpp"
#include "sched/fork_join.hpp"
#include "sched/round_robin.hpp"
#include "sched/waiting/event.hpp"
#include "sched/waiting/semaphore.hpp"

namespace bench {
namespace {

using namespace comity::sched;

constexpr int kRounds = 201;  // of what others on the machine hold up now and then

double median(std::vector<double>& of_rounds) {
  const auto middle = of_rounds.begin() + static_cast<std::ptrdiff_t>(of_rounds.size() / 2);
  std::nth_element(of_rounds.begin(), middle, of_rounds.end());
  return *middle;
}

// [ns] a call; fewer than `most` calls where they take long.
template <typename Call>
double time_within_budget(int most, const Call& call) {
  return time_loop(calls_within_budget(most, call), call);
}

double fiber_switch() {
  constexpr int kSwitches = 2'000'000;
  const Harts harts(1);
  Entered<RoundRobin> fair(const_cast<Harts&>(harts).substrate.root());
  double ns = 0.0;
  in_a_fiber(fair, [&] {
    const auto yields = [] {
      Hart& hart = *Hart::current();
      for (int i = 0; i < kSwitches / 2; ++i) hart.yield();
    };
    const double start = now_ns();
    Fiber& first = spawn(fair, yields);
    Fiber& second = spawn(fair, yields);
    join(first);
    join(second);
    ns = (now_ns() - start) / kSwitches;
  });
  return ns;
}

double create_join() {
  Harts harts(1);
  Entered<RoundRobin> fair(harts.substrate.root());
  double ns = 0.0;
  in_a_fiber(fair, [&] {
    const auto empty = [] {};
    ns = time_loop(500'000, [&] { join(spawn(fair, empty)); });
  });
  return ns;
}

// Tells where its fibers have ended, which each hart counts anyway.
class Counted : public RoundRobin {
 public:
  [[nodiscard]] double ended_on(const Hart& hart) {
    return static_cast<double>(lane(hart).fibers_ended.load(std::memory_order_acquire));
  }

 protected:
  explicit Counted(Scheduler& parent) : RoundRobin(parent) {}
};

// From a fiber of the root, so that the fiber is one for any hart. Where the maker's hart runs it itself nothing goes from hart to hart.
Figure create_join_2harts() {
  Harts harts(kThreads);
  Entered<Counted> fair(harts.substrate.root());
  const auto empty = [] {};
  const double ns = time_within_budget(100'000, [&] { join(spawn(fair, empty)); });
  const double here = fair.ended_on(*Hart::current());
  double all = 0.0;
  for (std::size_t i = 0; i < harts.substrate.harts(); ++i) all += fair.ended_on(harts.substrate.hart(i));
  return {ns, {{"on_other_hart_percent", 100.0 * (all - here) / all}}};
}

// A store on one core until the answer to it from the other has come: nothing that goes from hart to hart and back takes less.
double store_and_answer() {
  const Pinned pinned;
  alignas(64) std::atomic<int> asked{0};
  alignas(64) std::atomic<int> answered{0};
  std::atomic<bool> is_there{false};
  std::thread other([&] {
    pinned.pin(1);
    is_there = true;
    for (int seen = 0; seen >= 0;) {
      const int now = asked.load(std::memory_order_acquire);
      if (now != seen) answered.store(now, std::memory_order_release);
      seen = now;
    }
  });
  while (!is_there) std::this_thread::yield();
  int number = 0;
  const auto ask = [&] {
    asked.store(++number, std::memory_order_release);
    while (answered.load(std::memory_order_acquire) != number) {
    }
  };
  std::vector<double> rounds;
  rounds.reserve(kRounds);
  for (int round = 0; round < kRounds; ++round) rounds.push_back(time_loop(100, ask));
  asked.store(-1, std::memory_order_release);
  other.join();
  return median(rounds);
}

double barrier_2harts() {
  Harts harts(kThreads);
  Entered<ForkJoin> team(harts.substrate.root());
  return rounds_of_a_barrier([&](int rounds) {
    Barrier barrier(kThreads);
    std::atomic<int> come{0};
    double ns = 0.0;
    team.run(kThreads, [&](std::size_t member) {
      // Each holds its hart until both have one: on one hart they would meet without crossing from core to core.
      ++come;
      while (come < std::min(kThreads, static_cast<int>(harts.substrate.harts()))) std::this_thread::yield();
      barrier.wait();
      const double each = time_loop(rounds, [&] { barrier.wait(); });
      if (member == 0) ns = each;
    });
    return ns;
  });
}

// From the word that somebody wants the CPU of a hart that spins until that one leaves it; the median, for it sleeps in between.
double leave_wanted() {
  OwnCpus cpus;
  Substrate substrate(cpus, {.harts = kThreads, .spin = comity::Nanoseconds(3'600'000'000'000)});
  if (substrate.harts() < 2) return 1.0;  // there is none but the caller's
  const std::size_t cpu = substrate.hart(1).cpu();
  const auto until_parked = [&](int harts) {
    while (substrate.parked() != harts) {
    }
  };
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    while (substrate.idle() == 0 || substrate.parked() > 0) std::this_thread::yield();
    const double start = now_ns();
    cpus.want(cpu);
    until_parked(1);
    rounds.push_back(now_ns() - start);
    cpus.want_no_more(cpu);
    substrate.root().request(1);
    until_parked(0);
    substrate.root().request(-1);
  }
  return median(rounds);
}

// [%] of a core that this process uses while it sleeps for a second, looks for deadlocks among them.
double cpu_of_a_second() {
  constexpr auto kSecond = std::chrono::seconds(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // whoever still looks for work sleeps then too
  const double before = process_cpu_ns();
  const double start = now_ns();
  std::this_thread::sleep_for(kSecond);
  return 100.0 * (process_cpu_ns() - before) / (now_ns() - start);
}

double without_harts() {
  double percent = 0.0;
  std::thread sleeper([&percent] { percent = cpu_of_a_second(); });
  sleeper.join();
  return percent;
}

// All of them: also the first, whose fiber waits for who sleeps.
double parked() {
  const Harts harts(kThreads);
  Event over;
  double percent = 0.0;
  std::thread sleeper([&] {
    percent = cpu_of_a_second();
    over.happen();
  });
  over.wait();
  sleeper.join();
  return percent;
}

// [bytes] of memory that this process has in use, page tables among it.
double bytes_in_use() {
  double kilobytes = 0.0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0 || line.rfind("VmPTE:", 0) == 0) kilobytes += std::stod(line.substr(6));
  }
  return 1024.0 * kilobytes;
}

// [GB] for a million fibers that all wait at once.
double suspended_million() {
  constexpr std::size_t kFibers = 1'000'000;
  const double before = bytes_in_use();
  Harts harts(1);
  Entered<RoundRobin> fair(harts.substrate.root());
  double used = 0.0;
  in_a_fiber(fair, [&] {
    Semaphore gate(0);
    std::size_t waiting = 0;
    const auto wait = [&] {
      ++waiting;
      gate.acquire();
    };
    for (std::size_t i = 0; i < kFibers; ++i) spawn(fair, wait).detached = true;
    while (waiting < kFibers) Hart::current()->yield();
    used = bytes_in_use() - before;
    for (std::size_t i = 0; i < kFibers; ++i) gate.release();
  });
  return used / 1e9;
}

// A thread that is made on the CPU of that member, and joined by the first.
double thread_create_join(int member) {
  const Pinned pinned;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(pinned.cpu_of(member), &cpus);
  pthread_attr_t there;
  pthread_attr_init(&there);
  pthread_attr_setaffinity_np(&there, sizeof cpus, &cpus);
  const double ns = time_within_budget(2'000, [&there] {
    pthread_t thread{};
    if (pthread_create(
            &thread, &there, [](void* nothing) { return nothing; }, nullptr) == 0) {
      pthread_join(thread, nullptr);
    }
  });
  pthread_attr_destroy(&there);
  return ns;
}

}  // namespace

std::vector<SchedCase> basic_cases() {
  return {
      {"fiber_switch",
       "ns",
       fiber_switch,
       {{"Boost.Fiber", boost_fiber::yield()},
        argobots_or(argobots::yield(), 23.0),
        qthreads_or(qthreads::yield(), 57.0)}},
      {"create_join",
       "ns",
       create_join,
       {{"Boost.Fiber", boost_fiber::create_join()},
        {"pthread", [] { return thread_create_join(0); }},
        argobots_or(argobots::create_join(1), 46.0),
        qthreads_or(qthreads::create_join(1), 234.0)}},
      {"create_join_2harts",
       "ns",
       create_join_2harts,
       {{"pthread", [] { return thread_create_join(1); }},
        {"store and answer", store_and_answer},
        argobots_or(argobots::create_join(kThreads), 216.0),
        qthreads_or(qthreads::create_join(kThreads), 323.0)}},
      {"barrier_2harts",
       "ns",
       barrier_2harts,
       {{openmp::name(), openmp::barrier()},
        {"store and answer", store_and_answer},
        argobots_or(argobots::barrier(), 157.0),
        qthreads_or(qthreads::barrier(), 608.0)}},
      {"leave_wanted", "ns", leave_wanted, {{"store and answer", store_and_answer}}},
      {"parked", "%", parked, {{"no harts", without_harts}}},
      {"suspended_million", "GB", suspended_million, {{"a page each", [] { return 1e6 * 4096 / 1e9; }}}},
  };
}

}  // namespace bench
