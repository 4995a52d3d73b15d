// SPDX-License-Identifier: BSD-3-Clause
// A loop of two members, each of which calls a library that works with a team of two and meets twice a call. [ms] for all calls;
// the ideal is all work on two cores.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <semaphore>
#include <thread>

#include "cases.hpp"
#include "common/timing.hpp"
#include "harts.hpp"
#include "sched/fork_join.hpp"
#include "sched/waiting/semaphore.hpp"

namespace bench {
namespace {

using namespace comity::sched;

constexpr double kAll_ns = 40e6;  // work of both members

// The most of several windows: what disturbs the machine only ever takes.
double steps_per_ns() {
  constexpr int kWindows = 100;
  constexpr int kSteps = 50'000;
  double most = 0.0;
  for (int window = 0; window < kWindows; ++window) {
    volatile double x = 1.0;
    const double start = now_ns();
    for (int i = 0; i < kSteps; ++i) x = std::sqrt(x + 1.0);
    most = std::max(most, kSteps / (now_ns() - start));
  }
  return most;
}

double nest_ours(double work_ns) {
  Harts harts(kThreads);
  Entered<ForkJoin> outer(harts.substrate.root());
  const int calls = static_cast<int>(kAll_ns / 2 / work_ns);
  const auto all = [&] {
    outer.run(2, [&](std::size_t) {
      Entered<ForkJoin> inner(outer);
      for (int call = 0; call < calls; ++call) {
        Barrier barrier(2);
        inner.run(2, [&](std::size_t) {
          compute(work_ns / 4);
          barrier.wait();
          compute(work_ns / 4);
          barrier.wait();
        });
      }
    });
  };
  all();
  return 1e3 * time_loop(1, all) / 1e9;
}

double ideal() {
  const int calls = static_cast<int>(kAll_ns / 1e6);
  return 1e3 *
         time_loop(1,
                   [&] {
                     for (int call = 0; call < calls; ++call) compute(1e6 / 2);
                   }) /
         1e9;
}

// A pool of a library that knows of no other: its caller and a thread that sleeps between two calls. Nobody is pinned, as nested
// OpenMP is not.
class TwoMembers {
 public:
  explicit TwoMembers(double work_ns) : work_ns_(work_ns) {}
  ~TwoMembers() {
    over_ = true;
    calls_.release();
    other_.join();
  }
  TwoMembers(const TwoMembers&) = delete;
  TwoMembers& operator=(const TwoMembers&) = delete;

  void call() {
    calls_.release();
    work();
  }

 private:
  void work() {
    for (int half = 0; half < 2; ++half) {
      compute(work_ns_ / 4);
      both_.arrive_and_wait();
    }
  }

  const double work_ns_;
  std::atomic<bool> over_{false};
  std::counting_semaphore<> calls_{0};
  std::barrier<> both_{2};
  std::thread other_{[this] {
    for (calls_.acquire(); !over_; calls_.acquire()) work();
  }};
};

double nest_of_threads(double work_ns) {
  const int calls = static_cast<int>(kAll_ns / 2 / work_ns);
  const auto member = [=] {
    TwoMembers library(work_ns);
    for (int call = 0; call < calls; ++call) library.call();
  };
  return 1e3 *
         time_loop(1,
                   [&] {
                     std::thread second(member);
                     member();
                     second.join();
                   }) /
         1e9;
}

SchedCase one(std::string_view name, double work_ns) {
  return {name,
          "ms",
          [=] { return nest_ours(work_ns); },
          {{"ideal", ideal}, {openmp::name(), openmp::nest(work_ns)}, {"std::thread", [=] {
                                                                         return nest_of_threads(work_ns);
                                                                       }}}};
}

}  // namespace

void compute(double work_ns) {
  static const double rate = steps_per_ns();
  volatile double x = 1.0;
  const int count = static_cast<int>(work_ns * rate);
  for (int i = 0; i < count; ++i) x = std::sqrt(x + 1.0);
}

std::vector<SchedCase> nest_cases() { return {one("nest_200us", 200e3), one("nest_2ms", 2e6)}; }

}  // namespace bench
