// SPDX-License-Identifier: BSD-3-Clause
// Trace: when each rank passed which point of each step. From the latest rank at each point come the phases'
// times on the critical path (they add up to the total); from stamps of every thread the timeline.
#pragma once

#include <mpi.h>

#include <array>
#include <string_view>
#include <vector>

#include "parallel/stopwatch.hpp"

namespace twomesh::coupling {

enum class Phase : int { l0, remap, l1, quiesce };
inline constexpr int kPhases = 4;
inline constexpr std::array<std::string_view, kPhases> kPhaseNames{"l0", "remap", "l1", "quiesce"};

// Points of a step in order; L0 passes those before l0_done only where few ranks take its last gas steps. Before each
// start, and between done and resumed, Comity moves ranks.
enum class Mark : int {
  full_done,       // all ranks have taken their gas steps,
  collected,       // the few have all blocks,
  narrow_start,    // sit on their cores,
  narrow_done,     // have taken the last gas steps,
  narrow_resumed,  // all ranks run again,
  returned,        // and have their blocks back
  l0_done,
  gathered,  // the wide ranks have all fields,
  wide_start,
  wide_done,
  resumed,
  scattered  // what L1 changed is back
};
inline constexpr int kMarks = 12;
// The phase that ends at each mark.
inline constexpr std::array<Phase, kMarks> kPhaseBefore{Phase::l0,      Phase::remap, Phase::quiesce, Phase::l0,
                                                        Phase::quiesce, Phase::remap, Phase::l0,      Phase::remap,
                                                        Phase::quiesce, Phase::l1,    Phase::quiesce, Phase::remap};
// What ends after full_done and up to returned is what the narrow gas steps took.
[[nodiscard]] constexpr bool is_narrow(Mark mark) { return mark > Mark::full_done && mark <= Mark::returned; }

using PhaseTimes = std::array<double, kPhases>;  // [s]

struct StepTimes {
  PhaseTimes all{};
  PhaseTimes narrow{};  // the part of `all` that belongs to L0's narrow gas steps
};

// One thread in one phase. Plain data: ranks send it as bytes.
struct Span {
  int rank, thread, phase, first_cpu, last_cpu;
  double start_s, end_s, cpu_s;
};

enum class Timeline { off, on };

class Trace {
 public:
  Trace(MPI_Comm communicator, Timeline timeline);  // collective

  void begin_step();
  void mark(Mark mark);
  // Like mark(wide_start) and mark(wide_done), and stamps each thread of the team. Called by the main thread.
  void begin_wide(int team);
  void end_wide(int team);

  // Collective. Phase times of every step; the same on every rank.
  [[nodiscard]] std::vector<StepTimes> critical_path() const;
  // Collective. All ranks' spans on rank 0, empty elsewhere.
  [[nodiscard]] std::vector<Span> gather_spans() const;

 private:
  struct Stamp {
    double wall_s = 0.0, cpu_s = 0.0;
    int cpu = -1;
  };

  [[nodiscard]] Stamp stamp() const;
  [[nodiscard]] std::vector<Stamp> stamp_team(int team) const;
  void add_span(int thread, Phase phase, const Stamp& from, const Stamp& to);

  MPI_Comm communicator_;
  int rank_;
  bool keep_spans_;
  parallel::SharedClock clock_;
  double start_s_;
  std::vector<std::array<double, kMarks>> steps_;  // [s] of each mark; below zero: this rank does not pass it
  Stamp latest_;
  std::vector<Stamp> team_start_;
  std::vector<Span> spans_;
};

}  // namespace twomesh::coupling
