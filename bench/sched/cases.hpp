// SPDX-License-Identifier: BSD-3-Clause
// The cases of bench-sched: what ours takes, and what each peer takes for the same. Each call measures once and leaves
// nothing behind, so that both can be measured in turn in one process.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace bench {

using Once = std::function<double()>;  // [ns] an operation, or what the case's unit says

struct Peer {
  std::string_view name;
  Once measure;
  double nap_s = 0.0;  // until its idle threads leave the cores
};

struct SchedCase {
  std::string_view name;
  std::string_view unit;
  Once ours;
  std::vector<Peer> peers;
};

// Sizes.
inline constexpr int kFib = 27;
inline constexpr int kTasks = 500'000;        // of one producer
inline constexpr long kIndices = 10'000'000;  // of an empty loop
inline constexpr int kThreads = 2;

std::vector<SchedCase> basic_cases();
std::vector<SchedCase> task_cases();
std::vector<SchedCase> nest_cases();

// Of peers; empty functions where one is not here.
namespace boost_fiber {
Once yield(), create_join();
}
namespace openmp {
inline constexpr double kNap_s = 0.3;  // libomp's idle threads spin for 0.2 s
std::string_view name();
Once barrier(), fib(), one_producer(), nest(double work_ns);
}  // namespace openmp
namespace tbb {
Once fib(), one_producer(), parallel_for();
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

}  // namespace bench
