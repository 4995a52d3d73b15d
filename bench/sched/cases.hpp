// SPDX-License-Identifier: BSD-3-Clause
// The cases of bench-sched: what ours takes, and what each peer takes for the same. Each call measures once and leaves
// nothing behind, so that both can be measured in turn in one process.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/timing.hpp"

namespace bench {

using Once = std::function<double()>;  // [ns] an operation, or what the case's unit says

struct Peer {
  std::string_view name;
  Once measure;  // its idle threads have left the cores when it returns
};
// A peer that may be here; where it is not, what was found elsewhere once, under the name that says so.
struct Elsewhere {
  std::string_view name;
  double figure;
};
inline Peer here_or_not_this_run(std::string_view name, Once measure, const Elsewhere& elsewhere) {
  if (measure) return {name, std::move(measure)};
  return {elsewhere.name, [figure = elsewhere.figure] { return figure; }};
}
// Measured at another time on two cores, the best of what each took; Taskflow was not.
inline Peer argobots_or(Once measure, double figure) {
  return here_or_not_this_run("Argobots", std::move(measure), {"Argobots (not this run)", figure});
}
inline Peer qthreads_or(Once measure, double figure) {
  return here_or_not_this_run("Qthreads", std::move(measure), {"Qthreads (not this run)", figure});
}

// Of one measurement of ours; `extra` is for the JSON, the median of each name.
struct Figure {
  Figure(double what) : value(what) {}  // most tell no more
  Figure(double what, std::vector<std::pair<std::string, double>> more) : value(what), extra(std::move(more)) {}

  double value;
  std::vector<std::pair<std::string, double>> extra;
};

struct SchedCase {
  std::string_view name;
  std::string_view unit;
  std::function<Figure()> ours;
  std::vector<Peer> peers;
};

inline constexpr int kThreads = 2;

// What each task or index of a case computes, and how many there are: so many that all take 20 ms on one core.
struct Grain {
  double ns = 0.0;
  int fib = 27;  // calls of which the leaves are no tasks
  int tasks = 500'000;
  long indices = 10'000'000;
};
inline constexpr Grain kEmpty;
inline constexpr std::array kGrains{Grain{1e3, 21, 20'000, 20'000}, Grain{10e3, 16, 2'000, 2'000},
                                    Grain{100e3, 12, 200, 200}};

[[nodiscard]] constexpr long tasks_of_fib(int n) {
  long before = 0;
  long count = 0;
  for (int i = 2; i <= n; ++i) before = std::exchange(count, 1 + count + before);
  return count;
}

std::vector<SchedCase> basic_cases();
std::vector<SchedCase> task_cases();
std::vector<SchedCase> nest_cases();
std::vector<SchedCase> public_cases(const std::vector<SchedCase>& inside);

// Of peers; empty functions where one is not here.
namespace boost_fiber {
Once yield(), create_join(), fib(const Grain&grain), one_producer(const Grain&grain);
}
namespace argobots {
Once yield(), create_join(int harts), barrier(), fib(const Grain&grain), one_producer(const Grain&grain);
}
namespace qthreads {
Once yield(), create_join(int harts), barrier(), fib(const Grain&grain), one_producer(const Grain&grain);
}
namespace taskflow {
Once fib(const Grain&grain), one_producer(const Grain&grain), parallel_for(const Grain&grain);
}
namespace openmp {
std::string_view name();
Once barrier(), fib(const Grain&grain), one_producer(const Grain&grain), nest(double work_ns);
}  // namespace openmp
namespace tbb {
Once fib(const Grain&grain), one_producer(const Grain&grain), parallel_for(const Grain&grain);
}

// [ns] a round, by `measure(rounds)`: a few first, and then so many as take 20 ms. On a crowded machine each takes long.
template <typename Measure>
double rounds_of_a_barrier(const Measure& measure) {
  constexpr double kWanted_ns = 2e7;
  constexpr double kFewest = 100.0;
  constexpr double kMost = 200'000.0;
  const double first_ns = measure(static_cast<int>(kFewest));
  return measure(static_cast<int>(std::clamp(kWanted_ns / first_ns, kFewest, kMost)));
}

// So long a computation on one core, and the same again: by a count of steps, calibrated once.
void compute(double work_ns);
// What one task is: that, or nothing which the compiler could leave out.
inline void compute_grain(const Grain& grain, long of) {
  if (grain.ns > 0.0) {
    compute(grain.ns);
  } else {
    use(of);
  }
}

}  // namespace bench
