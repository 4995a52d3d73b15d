// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/samples.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace comity::cli::bench {
namespace {

// What each rank of a job beyond the first adds to what a job of one grows by, launch by launch.
std::vector<double> each_beyond_the_first(const std::vector<double>& grown, const std::vector<double>& alone,
                                          int ranks) {
  std::vector<double> added;
  for (std::size_t i = 0; i < std::min(grown.size(), alone.size()); ++i) {
    added.push_back((grown[i] - alone[i]) / (ranks - 1));
  }
  return added;
}

double median_of(const nlohmann::json& numbers) { return median(numbers.get<std::vector<double>>()); }

}  // namespace

void Samples::add(double value, double reference) {
  values_.push_back(value);
  references_.push_back(reference);
}

void Samples::add_extra(const std::string& key, double value) {
  const auto found = std::find_if(extra_.begin(), extra_.end(), [&](const auto& pair) { return pair.first == key; });
  if (found == extra_.end()) {
    extra_.emplace_back(key, std::vector<double>{value});
  } else {
    found->second.push_back(value);
  }
}

Row Samples::row(const std::string& mpi, int ranks, int threads, std::optional<Goal> goal) const {
  const Ratio ratio = paired_ratio(values_, references_);
  const std::optional<Interval> ci95 = interval_on(goal ? goal->on : Goal::On::ratio);
  Row row{name_,
          mpi,
          ranks,
          threads,
          median(values_),
          unit_,
          standard_deviation(values_),
          ci95,
          count(),
          reference_,
          median(references_),
          ratio.estimate,
          goal,
          verdict_of(goal, ci95),
          {}};
  add_extras(row);
  return row;
}

std::optional<Interval> Samples::interval_on(Goal::On what) const {
  switch (what) {
    case Goal::On::ratio:
      return paired_ratio(values_, references_).ci95;
    case Goal::On::value:
      return paired_ratio(values_, std::vector<double>(values_.size(), 1.0)).ci95;
    case Goal::On::difference:
      break;
  }
  std::vector<double> more;
  for (std::size_t i = 0; i < values_.size(); ++i) more.push_back(values_[i] - references_[i]);
  return location(more).ci95;
}

Row Samples::beyond_the_first(const Samples& alone, const std::string& mpi, int ranks, int threads,
                              std::optional<Goal> goal) const {
  const std::vector<double> added = each_beyond_the_first(values_, alone.values_, ranks);
  const Ratio found = location(added);
  const double first = median(alone.values_);
  Row row{name_,
          mpi,
          ranks,
          threads,
          found.estimate,
          unit_,
          standard_deviation(added),
          found.ci95,
          added.size(),
          "a job of one rank",
          first,
          found.estimate / first,
          goal,
          verdict_of(goal, found.ci95),
          {}};
  for (const auto& [key, values] : extra_) {
    const std::vector<double> beyond = each_beyond_the_first(values, alone.extra_values(key), ranks);
    if (!beyond.empty()) row.extra.emplace_back(key, location(beyond).estimate);
  }
  return row;
}

std::vector<double> Samples::extra_values(const std::string& key) const {
  const auto found = std::find_if(extra_.begin(), extra_.end(), [&](const auto& pair) { return pair.first == key; });
  return found == extra_.end() ? std::vector<double>() : found->second;
}

std::optional<Samples> Samples::of_extras(const std::string& name, const std::string& own, const std::string& reference,
                                          const std::string& reference_name) const {
  const std::vector<double> values = own.empty() ? values_ : extra_values(own);
  const std::vector<double> references = extra_values(reference);
  if (values.empty() || values.size() != references.size()) return std::nullopt;
  Samples both(name, unit_, reference_name);
  both.values_ = values;
  both.references_ = references;
  return both;
}

void Samples::add_extras(Row& row) const {
  for (const auto& [key, values] : extra_) row.extra.emplace_back(key, median(values));
}

const FoundCase* Found::named(const std::string& name) const {
  const auto found = std::find_if(cases.begin(), cases.end(), [&](const FoundCase& one) { return one.name == name; });
  return found == cases.end() ? nullptr : &*found;
}

Found read_found(const std::string& json_line) {
  const nlohmann::json line = nlohmann::json::parse(json_line);
  Found found{{}, line.value("nodes", 1), line.value("work", "")};
  for (const auto& one : line.at("cases")) {
    if (one.at("values").empty()) continue;  // nothing to measure on this machine
    FoundCase read{one.at("name"), one.at("unit"), one.at("reference"), median_of(one.at("values")), std::nullopt};
    if (!one.at("references").empty()) read.reference_value = median_of(one.at("references"));
    for (const auto& [key, value] : one.at("extra").items()) read.extra.emplace_back(key, value.get<double>());
    found.cases.push_back(std::move(read));
  }
  return found;
}

Samples& samples_of(std::vector<Samples>& cases, const FoundCase& found) {
  const auto place =
      std::find_if(cases.begin(), cases.end(), [&](const Samples& one) { return one.name() == found.name; });
  if (place != cases.end()) return *place;
  return cases.emplace_back(found.name, found.unit, found.reference);
}

void add_case_line(std::vector<Samples>& cases, const std::string& json_line) {
  const Found found = read_found(json_line);
  for (const FoundCase& one : found.cases) {
    Samples& samples = samples_of(cases, one);
    samples.add(one.value, one.reference_value.value());
    for (const auto& [key, value] : one.extra) samples.add_extra(key, value);
    if (found.nodes > 1) samples.add_extra("nodes", found.nodes);
  }
}

}  // namespace comity::cli::bench
