// SPDX-License-Identifier: BSD-3-Clause
// What the MPI says of its own memory: figures of its own, beside those of components and in none of them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

// Over ranks, at the last moment of each.
struct VariableSum {
  std::string description;
  std::int64_t all = 0;
  std::int64_t most = -1;
  int rank = 0;  // that has most
};

std::map<std::string, VariableSum> sums_of_variables(const Job& job) {
  std::map<std::string, VariableSum> sums;
  for (const RankMemory& rank : job.ranks) {
    if (!rank.variables) continue;
    for (const VariableFigures& one : *rank.variables) {
      if (one.moment != rank.variables->back().moment) continue;
      VariableSum& sum = sums[one.variable];
      sum.description = one.description;
      add_to(sum.all, one.value);
      if (one.value > sum.most) {
        sum.most = one.value;
        sum.rank = rank.rank;
      }
    }
  }
  return sums;
}

std::string line_of(const std::string& variable, const VariableSum& sum) {
  std::array<char, 80> figures{};
  std::snprintf(figures.data(), figures.size(), "  %14lld %14lld %5d  ", static_cast<long long>(sum.all),
                static_cast<long long>(sum.most), sum.rank);
  return figures.data() + variable + (sum.description.empty() ? "" : ": " + sum.description) + '\n';
}

}  // namespace

std::string variables_text_of(const Job& job) {
  const bool asked = std::any_of(job.ranks.begin(), job.ranks.end(),
                                 [](const RankMemory& rank) { return rank.variables.has_value(); });
  if (!asked) return {};
  const std::map<std::string, VariableSum> sums = sums_of_variables(job);
  if (sums.empty()) return "  this MPI has no variable (MPI_T) that says something of its own memory\n\n";
  std::string text =
      "  what the MPI says of its own memory (MPI_T), when ranks were last asked\n"
      "             all           most  rank  variable\n";
  std::size_t shown = 0;
  for (const auto& [variable, sum] : sums) {
    if (shown++ < kMostLines) text += line_of(variable, sum);
  }
  return text + more_lines(sums.size(), "variables", "memory-variables") + '\n';
}

Json variables_json_of(const RankMemory& rank) {
  if (!rank.variables) return nullptr;
  Json rows = Json::array();
  for (const VariableFigures& one : *rank.variables) {
    rows.push_back(
        {{"moment", one.moment}, {"variable", one.variable}, {"description", one.description}, {"value", one.value}});
  }
  return rows;
}

std::string variable_rows_of(const Job& job) {
  std::string text = "rank,moment,variable,description,value\n";
  for (const RankMemory& rank : job.ranks) {
    if (!rank.variables) continue;
    for (const VariableFigures& one : *rank.variables) {
      text += std::to_string(rank.rank) + ',' + csv_text(one.moment) + ',' + csv_text(one.variable) + ',' +
              csv_text(one.description) + ',' + std::to_string(one.value) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
