// SPDX-License-Identifier: BSD-3-Clause
// Loops of calls that ranks make together: as many on all, and few enough that the case ends in time on crowded cores.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "common/timing.hpp"

namespace bench {

constexpr int kFewestCalls = 3;
constexpr double kTogetherLoop_ns = 1e8;  // a loop ends about then, however slow its calls are on crowded cores
constexpr double kTogetherLook_ns = 5e8;  // for the loop that tells how long calls take
constexpr double kTogetherCase_ns = 1.2e9;
constexpr int kFewestTogether = 5;  // loops of each

// [calls] The same on all ranks, at most `most`. Short loops look slower than calls are: the ranks that leave a loop first spin
// in the MPI call that comes next, against those that are still in it. So a short look decides only whether there is time for
// a longer.
template <typename Call>
int agreed_calls(int most, Call&& call) {
  int calls = kFewestCalls;
  for (const double budget_ns : {kTogetherLook_ns, kTogetherLoop_ns}) {
    const double once_ns = time_loop(calls, call);
    calls = std::clamp(static_cast<int>(budget_ns / once_ns), kFewestCalls, most);
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return calls;
}

// Whether ranks go on after so many loops: rank 0's clock decides for all.
[[nodiscard]] inline bool all_go_on(int loops, double start_ns, double most_ns = kTogetherCase_ns) {
  int goes_on = loops < kFewestTogether || (loops < kBatches && now_ns() - start_ns < most_ns) ? 1 : 0;
  MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return goes_on != 0;
}

// [ns] A call, the mean of a loop. Before the loop the ranks meet in one call more and after it in another: else those that are
// still in, or already in, another spinning call would be part of it.
template <typename Call>
double time_settled_loop(int calls, Call&& call) {
  call();
  const double time_ns = time_loop(calls, call);
  call();
  return time_ns;
}

// The same of a call and the one that takes it back. The first of both does not count, by which the ranks meet: there are two
// calls at least.
template <typename Call, typename Undo>
HalfTimes time_settled_halves(int calls, Call&& call, Undo&& undo) {
  call();
  undo();
  return time_halves(calls - 1, call, undo);
}

// Batches of all ranks, until rank 0's clock ends them.
template <typename Batch>
void repeat_on_all(Batch&& batch, double most_ns = kTogetherCase_ns) {
  const double start_ns = now_ns();
  int loops = 0;
  do {
    batch();
  } while (all_go_on(++loops, start_ns, most_ns));
}

// Fills values and references.
template <typename Call, typename Reference>
void alternate_together(Outcome& outcome, int most, Call&& call, Reference&& reference) {
  const int calls = agreed_calls(most, call);
  const int reference_calls = agreed_calls(most, reference);
  repeat_on_all([&] {
    outcome.values.push_back(time_settled_loop(calls, call));
    outcome.references.push_back(time_settled_loop(reference_calls, reference));
  });
}

// Fills values alone.
template <typename Call>
void repeat_together(Outcome& outcome, int most, Call&& call, double most_ns = kTogetherCase_ns) {
  const int calls = agreed_calls(most, call);
  repeat_on_all([&] { outcome.values.push_back(time_settled_loop(calls, call)); }, most_ns);
}

}  // namespace bench
