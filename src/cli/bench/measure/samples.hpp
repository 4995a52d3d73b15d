// SPDX-License-Identifier: BSD-3-Clause
// Samples: what several launches of a program found of one case, a value and a reference a launch, and the row that this
// makes. Not: which goal a case has (quo.cpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/measure/row.hpp"

namespace comity::cli::bench {

class Samples {
 public:
  Samples(std::string name, std::string unit, std::string reference)
      : name_(std::move(name)), unit_(std::move(unit)), reference_(std::move(reference)) {}

  // The medians of one launch, both above 0.
  void add(double value, double reference);
  // A figure beside it; the row has the median of the launches.
  void add_extra(const std::string& key, double value);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t count() const { return values_.size(); }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  // Without a goal a row is `measured`; with one it is `undecided` while the bound lies inside the 95 % interval, or there
  // is none (fewer than six launches).
  [[nodiscard]] Row row(const std::string& mpi, int ranks, int threads, std::optional<Goal> goal) const;
  // The same of two figures beside the case, launch by launch: one held against the other. none where a launch lacks either.
  // `own` "": the case's own value.
  [[nodiscard]] std::optional<Samples> of_extras(const std::string& name, const std::string& own,
                                                 const std::string& reference, const std::string& reference_name) const;
  // Of growth on one node: what each rank of a job beyond the first adds, launch by launch, to what a job of one rank grows by;
  // the figures beside it in the same manner. Below zero where it adds nothing and the job of one rank happened to grow by more.
  [[nodiscard]] Row beyond_the_first(const Samples& alone, const std::string& mpi, int ranks, int threads,
                                     std::optional<Goal> goal) const;

 private:
  [[nodiscard]] std::optional<Interval> interval_on(Goal::On what) const;
  [[nodiscard]] std::vector<double> extra_values(const std::string& key) const;  // of all launches
  void add_extras(Row& row) const;

  std::string name_, unit_, reference_;
  std::vector<double> values_, references_;
  std::vector<std::pair<std::string, std::vector<double>>> extra_;
};

// A case as one launch tells of it.
struct FoundCase {
  std::string name, unit, reference;
  double value;                           // the median of its samples
  std::optional<double> reference_value;  // where the launch has measured it itself
  std::vector<std::pair<std::string, double>> extra = {};
};

// What one launch tells.
struct Found {
  std::vector<FoundCase> cases;
  int nodes = 1;
  std::string work = {};  // a checksum; "" for none

  [[nodiscard]] const FoundCase* named(const std::string& name) const;  // null: none
};

// One line of JSON, as a program with "cases" prints it. Cases without values are left out.
[[nodiscard]] Found read_found(const std::string& json_line);

// The samples of that case, made where there are none yet.
[[nodiscard]] Samples& samples_of(std::vector<Samples>& cases, const FoundCase& found);

// Adds one line in which each case has its reference; they come in the order in which the first line has them.
void add_case_line(std::vector<Samples>& cases, const std::string& json_line);

}  // namespace comity::cli::bench
