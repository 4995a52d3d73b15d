// SPDX-License-Identifier: BSD-3-Clause
// Comparison: one case against its reference, in pairs measured one right after the other, until the interval of the ratio
// is narrow enough. Not: how a measurement is made (quiesce.cpp), how it is shown (report.cpp).
// Invariant: pair i has one value of the case and one of the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/measure/row.hpp"
#include "cli/bench/measure/statistics.hpp"

namespace comity::cli::bench {

// What one launch of a program gave.
struct Measurement {
  double seconds = 0.0;                      // the median of its samples
  std::optional<double> waiter_cpu_seconds;  // a waiter, in such a sample; none: nobody waits
  int ranks = 0;
  int threads = 0;        // of the computing rank
  std::string work_done;  // a checksum: the same work leaves the same
};

struct Plan {
  std::string name;  // of the case
  std::string mpi;
  double precision;  // [share] the interval's half-width that ends the row
  std::optional<Goal> goal;
  bool wide_decides = true;  // a wider interval decides about the goal where all of it lies on one side of the bound
};

class Comparison {
 public:
  // Fewer pairs may look narrow by chance.
  static constexpr std::size_t kFewestPairs = 8;

  explicit Comparison(Plan plan) : plan_(std::move(plan)) {}

  void add(const Measurement& of_case,
           const Measurement& of_reference);  // throws Status::internal if their work differs

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] std::size_t pairs() const { return cases_.size(); }
  [[nodiscard]] bool narrow() const;
  // Against a goal: by the interval where all of it lies on one side of the bound (narrow or not is the plan's word), else by
  // the estimate once the interval is narrow. Undecided before that, and with few pairs.
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] Ratio ratio() const;
  [[nodiscard]] double seconds() const { return median(cases_); }
  [[nodiscard]] double reference_seconds() const { return median(references_); }
  [[nodiscard]] double deviation_seconds() const { return standard_deviation(cases_); }
  [[nodiscard]] double reference_deviation_seconds() const { return standard_deviation(references_); }
  [[nodiscard]] double waiter_cpu_seconds() const { return median(waiter_cpu_); }
  [[nodiscard]] double waiter_cpu_share() const { return waiter_cpu_seconds() / seconds(); }  // of the core it waits on
  [[nodiscard]] Row row(const std::string& reference) const;                                  // as of now
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int threads() const { return threads_; }

 private:
  Plan plan_;
  std::vector<double> cases_, references_, waiter_cpu_;
  int ranks_ = 0, threads_ = 0;
};

// How to measure, and when.
struct Bench {
  std::string reference;  // the reference's name as a case
  std::function<Measurement(const std::string& mpi, const std::string& name)> measure;
  std::function<std::int64_t()> now_ns;
  std::function<void(const std::vector<Comparison>&)> progress;  // after every pair
};

// Takes pairs of all rows in turn, and leaves out the rows that are narrow, until all are or the time is up; every row gets
// one pair at least. The order inside a pair turns with each, so that a drift of the machine cancels.
void measure_all(std::vector<Comparison>& rows, const Bench& bench, Nanoseconds limit);

}  // namespace comity::cli::bench
