// SPDX-License-Identifier: BSD-3-Clause
// Timing: loops of calls, a loop of the case and one of its reference in turn, so that a drift of the machine cancels.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace bench {

constexpr int kLoop = 100;    // calls a loop, as in QUOBench
constexpr int kBatches = 31;  // loops of each

// What one case found in one process. `values` and `references` are pairs, each [unit a call].
struct Outcome {
  std::string name;
  std::string unit;
  std::string reference;
  std::vector<double> values;
  std::vector<double> references;
  std::vector<std::pair<std::string, double>> extra = {};
};

inline double now_ns() {
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// [ns] Of all threads of this process.
inline double process_cpu_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// [ns] a call.
template <typename Call>
double time_loop(int calls, Call&& call) {
  const double start_ns = now_ns();
  for (int i = 0; i < calls; ++i) call();
  return (now_ns() - start_ns) / calls;
}

// [ns] a call; what prepares each of them is not counted.
template <typename Prepare, typename Call>
double time_prepared_loop(int calls, Prepare&& prepare, Call&& call) {
  double sum_ns = 0;
  for (int i = 0; i < calls; ++i) {
    prepare();
    sum_ns += time_loop(1, call);
  }
  return sum_ns / calls;
}

// On a quiet machine no loop comes near these. On a crowded one a thread that moves waits for its turn on the other core, a
// few milliseconds each time, and the figures mean nothing: then the end counts.
constexpr double kLoopBudget_ns = 2e7;
constexpr double kCaseBudget_ns = 5e8;
constexpr int kFewestBatches = 3;

// [ns] The second of two calls: the first wakes threads, and has memory that is kept.
template <typename Call>
double time_second(Call&& call) {
  call();
  return time_loop(1, call);
}

// How many calls a loop may have, at most `most`; runs up to that many.
template <typename Call>
int calls_within_budget(int most, Call&& call) {
  const double start_ns = now_ns();
  int calls = 0;
  while (calls < most && (calls == 0 || now_ns() - start_ns < kLoopBudget_ns)) {
    call();
    ++calls;
  }
  return calls;
}

// Fills values and references, of what times a loop of each.
template <typename TimeCalls, typename TimeReference>
void alternate_loops(Outcome& outcome, int batches, TimeCalls&& time_calls, TimeReference&& time_reference) {
  const double start_ns = now_ns();
  for (int batch = 0; batch < batches; ++batch) {
    if (batch >= kFewestBatches && now_ns() - start_ns > kCaseBudget_ns) return;
    outcome.values.push_back(time_calls());
    outcome.references.push_back(time_reference());
  }
}

// The same of calls; one loop of each before, which does not count.
template <typename Call, typename Reference>
void alternate(Outcome& outcome, int batches, int most, Call&& call, Reference&& reference) {
  const int calls = std::min(calls_within_budget(most, call), calls_within_budget(most, reference));
  alternate_loops(
      outcome, batches, [&] { return time_loop(calls, call); }, [&] { return time_loop(calls, reference); });
}

// Of at least one; the upper one of two.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Keeps the compiler from dropping a result.
template <typename Value>
void use(const Value& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace bench
