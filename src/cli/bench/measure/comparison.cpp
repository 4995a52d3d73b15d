// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/comparison.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace comity::cli::bench {
namespace {

void measure_pair(Comparison& row, const Bench& bench) {
  const Plan& plan = row.plan();
  if (row.pairs() % 2 == 0) {
    const Measurement reference = bench.measure(plan.mpi, bench.reference);
    row.add(bench.measure(plan.mpi, plan.name), reference);
  } else {
    const Measurement of_case = bench.measure(plan.mpi, plan.name);
    row.add(of_case, bench.measure(plan.mpi, bench.reference));
  }
}

}  // namespace

void Comparison::add(const Measurement& of_case, const Measurement& of_reference) {
  if (of_case.work_done != of_reference.work_done || of_case.threads != of_reference.threads) {
    throw Error(Status::internal, "compare " + plan_.name + " with its reference (" + plan_.mpi +
                                      "): " + std::to_string(of_case.threads) + " threads left the checksum " +
                                      of_case.work_done + ", the reference's " + std::to_string(of_reference.threads) +
                                      " left " + of_reference.work_done + ": they did not do the same work");
  }
  cases_.push_back(of_case.seconds);
  references_.push_back(of_reference.seconds);
  if (of_case.waiter_cpu_seconds) waiter_cpu_.push_back(*of_case.waiter_cpu_seconds);
  ranks_ = of_case.ranks;
  threads_ = of_case.threads;
}

bool Comparison::narrow() const {
  if (pairs() < kFewestPairs) return false;
  const std::optional<Interval> ci95 = ratio().ci95;
  return ci95 && ci95->precision() <= plan_.precision;
}

Verdict Comparison::verdict() const {
  if (pairs() < kFewestPairs) return Verdict::undecided;
  const bool is_narrow = narrow();
  if (!is_narrow && !plan_.wide_decides) return Verdict::undecided;
  const Ratio now = ratio();
  const Verdict by_interval = verdict_of(plan_.goal, now.ci95);
  if (by_interval == Verdict::met || by_interval == Verdict::missed) return by_interval;
  if (!is_narrow) return Verdict::undecided;
  if (!plan_.goal) return Verdict::measured;
  return now.estimate <= plan_.goal->bound ? Verdict::met : Verdict::missed;
}

Row Comparison::row(const std::string& reference) const {
  const Ratio now = ratio();
  Row row{plan_.name,
          plan_.mpi,
          ranks_,
          threads_,
          seconds(),
          "s",
          deviation_seconds(),
          now.ci95,
          pairs(),
          reference,
          reference_seconds(),
          now.estimate,
          plan_.goal,
          verdict(),
          {{"precision_wanted", plan_.precision}, {"reference_sd", reference_deviation_seconds()}}};
  if (waiter_cpu_.empty()) return row;
  row.extra.emplace_back("waiter_cpu_s", waiter_cpu_seconds());
  row.extra.emplace_back("waiter_cpu_percent", 100.0 * waiter_cpu_share());
  return row;
}

Ratio Comparison::ratio() const { return paired_ratio(cases_, references_); }

void measure_all(std::vector<Comparison>& rows, const Bench& bench, Nanoseconds limit) {
  const std::int64_t end_ns = deadline_after(limit, bench.now_ns());
  std::int64_t longest_pair_ns = 0;
  bool some_left = true;
  while (some_left) {
    some_left = false;
    for (Comparison& row : rows) {
      const std::int64_t start_ns = bench.now_ns();
      const bool in_time = start_ns + longest_pair_ns <= end_ns;
      if (row.narrow() || (row.pairs() > 0 && !in_time)) continue;
      measure_pair(row, bench);
      longest_pair_ns = std::max(longest_pair_ns, bench.now_ns() - start_ns);
      bench.progress(rows);
      some_left = true;
    }
  }
}

}  // namespace comity::cli::bench
