// SPDX-License-Identifier: BSD-3-Clause
#include "coupling/trace.hpp"

#include <omp.h>

#include <algorithm>

#include "parallel/communicator.hpp"
#include "parallel/count.hpp"

namespace twomesh::coupling {

Trace::Trace(MPI_Comm communicator, Timeline timeline)
    : communicator_(communicator),
      rank_(parallel::rank_in(communicator)),
      keep_spans_(timeline == Timeline::on),
      clock_(communicator),
      start_s_(clock_.now_s()),
      latest_(stamp()) {}

Trace::Stamp Trace::stamp() const {
  if (!keep_spans_) return {clock_.now_s(), 0.0, -1};
  return {clock_.now_s(), parallel::thread_cpu_s(), parallel::current_cpu()};
}

std::vector<Trace::Stamp> Trace::stamp_team(int team) const {
  std::vector<Stamp> stamps(static_cast<std::size_t>(team));
  std::size_t ran = 0;
#pragma omp parallel num_threads(team)
  {
    if (omp_get_thread_num() == 0) ran = static_cast<std::size_t>(omp_get_num_threads());
    stamps[static_cast<std::size_t>(omp_get_thread_num())] = stamp();
  }
  stamps.resize(ran);  // OpenMP may give fewer threads than it is asked for
  return stamps;
}

void Trace::add_span(int thread, Phase phase, const Stamp& from, const Stamp& to) {
  spans_.push_back(
      {rank_, thread, static_cast<int>(phase), from.cpu, to.cpu, from.wall_s, to.wall_s, to.cpu_s - from.cpu_s});
}

void Trace::begin_step() { steps_.emplace_back().fill(-1.0); }

void Trace::mark(Mark mark) {
  const auto place = static_cast<std::size_t>(mark);
  const Stamp here = stamp();
  steps_.back()[place] = here.wall_s;
  // A rank that rested passes no start and no done: from gathered straight to resumed.
  if (keep_spans_) add_span(0, kPhaseBefore[place], latest_, here);
  latest_ = here;
}

void Trace::begin_wide(int team) {
  mark(Mark::wide_start);
  if (keep_spans_) team_start_ = stamp_team(team);
}

void Trace::end_wide(int team) {
  if (keep_spans_) {
    const std::vector<Stamp> team_end = stamp_team(team);
    for (std::size_t thread = 1; thread < team_end.size() && thread < team_start_.size(); ++thread) {
      add_span(static_cast<int>(thread), Phase::l1, team_start_[thread], team_end[thread]);
    }
  }
  mark(Mark::wide_done);
}

std::vector<StepTimes> Trace::critical_path() const {
  std::vector<double> latest;
  for (const auto& step : steps_) latest.insert(latest.end(), step.begin(), step.end());
  MPI_Allreduce(MPI_IN_PLACE, latest.data(), static_cast<int>(latest.size()), MPI_DOUBLE, MPI_MAX, communicator_);
  double before = start_s_;
  MPI_Allreduce(MPI_IN_PLACE, &before, 1, MPI_DOUBLE, MPI_MAX, communicator_);
  std::vector<StepTimes> times(steps_.size());
  for (std::size_t place = 0; place < latest.size(); ++place) {
    const double here = std::max(before, latest[place]);
    const auto phase = static_cast<std::size_t>(kPhaseBefore[place % kMarks]);
    StepTimes& step = times[place / kMarks];
    step.all[phase] += here - before;
    if (is_narrow(static_cast<Mark>(place % kMarks))) step.narrow[phase] += here - before;
    before = here;
  }
  return times;
}

// Counted in spans, not in bytes: a long run of many ranks has more of those than MPI counts.
std::vector<Span> Trace::gather_spans() const {
  const int mine = parallel::count_of(spans_.size());
  std::vector<int> lengths(static_cast<std::size_t>(parallel::size_of(communicator_)));
  MPI_Gather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, communicator_);
  std::vector<int> places(lengths.size());
  std::size_t total = 0;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    places[rank] = parallel::count_of(total);
    total += static_cast<std::size_t>(lengths[rank]);
  }
  std::vector<Span> all(rank_ == 0 ? total : 0);
  MPI_Datatype span = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(sizeof(Span)), MPI_BYTE, &span);
  MPI_Type_commit(&span);
  MPI_Gatherv(spans_.data(), mine, span, all.data(), lengths.data(), places.data(), span, 0, communicator_);
  MPI_Type_free(&span);
  return all;
}

}  // namespace twomesh::coupling
