// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/samples.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace comity::cli::bench {
namespace {

Verdict verdict_of(const std::optional<Goal>& goal, const std::optional<Interval>& ci95) {
  if (!goal) return Verdict::measured;
  if (!ci95) return Verdict::undecided;
  if (ci95->high <= goal->bound) return Verdict::met;
  return ci95->low > goal->bound ? Verdict::missed : Verdict::undecided;
}

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
  const bool on_value = goal && goal->on == Goal::On::value;
  const std::vector<double> ones(values_.size(), 1.0);
  const std::optional<Interval> ci95 = on_value ? paired_ratio(values_, ones).ci95 : ratio.ci95;
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

void Samples::add_extras(Row& row) const {
  for (const auto& [key, values] : extra_) row.extra.emplace_back(key, median(values));
}

void add_case_line(std::vector<Samples>& cases, const std::string& json_line) {
  const nlohmann::json line = nlohmann::json::parse(json_line);
  const int nodes = line.value("nodes", 1);
  for (const auto& found : line.at("cases")) {
    if (found.at("values").empty()) continue;  // nothing to measure on this machine
    const auto name = found.at("name").get<std::string>();
    auto place = std::find_if(cases.begin(), cases.end(), [&](const Samples& one) { return one.name() == name; });
    if (place == cases.end()) {
      place = cases.insert(cases.end(), Samples(name, found.at("unit"), found.at("reference")));
    }
    place->add(median_of(found.at("values")), median_of(found.at("references")));
    for (const auto& [key, value] : found.at("extra").items()) place->add_extra(key, value.get<double>());
    if (nodes > 1) place->add_extra("nodes", nodes);
  }
}

}  // namespace comity::cli::bench
