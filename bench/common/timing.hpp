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

// [ns] A call and the call that takes it back, each by itself.
struct HalfTimes {
  double call_ns;
  double undo_ns;
};

// What one case found in one process. `values` and `references` are pairs, each [unit a call].
struct Outcome {
  std::string name;
  std::string unit;
  std::string reference;
  std::vector<double> values;
  std::vector<double> references;
  std::vector<std::pair<std::string, double>> extra = {};
};

// What a call and the one that takes it back came to in the same loops.
struct Halves {
  Outcome call;
  Outcome undo;

  void add(const HalfTimes& time, const HalfTimes& reference) {
    call.values.push_back(time.call_ns);
    undo.values.push_back(time.undo_ns);
    call.references.push_back(reference.call_ns);
    undo.references.push_back(reference.undo_ns);
  }
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

// Of both in turn, so many times.
template <typename Call, typename Undo>
HalfTimes time_halves(int calls, Call&& call, Undo&& undo) {
  HalfTimes sum{};
  for (int i = 0; i < calls; ++i) {
    sum.call_ns += time_loop(1, call);
    sum.undo_ns += time_loop(1, undo);
  }
  return {sum.call_ns / calls, sum.undo_ns / calls};
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

// At most so many batches, fewer where they take long.
template <typename Batch>
void repeat_within_budget(int batches, Batch&& batch) {
  const double start_ns = now_ns();
  for (int i = 0; i < batches; ++i) {
    if (i >= kFewestBatches && now_ns() - start_ns > kCaseBudget_ns) return;
    batch();
  }
}

// Fills values and references; one loop of each before, which does not count.
template <typename Call, typename Reference>
void alternate(Outcome& outcome, int batches, int most, Call&& call, Reference&& reference) {
  const int calls = std::min(calls_within_budget(most, call), calls_within_budget(most, reference));
  repeat_within_budget(batches, [&] {
    outcome.values.push_back(time_loop(calls, call));
    outcome.references.push_back(time_loop(calls, reference));
  });
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
