// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/names.hpp"

#include <algorithm>

namespace comity::record {
namespace {

constexpr std::string_view kRank = "rank-";
constexpr std::string_view kNode = "node-";
constexpr std::string_view kNodeRun = "run-node-";
constexpr std::size_t kRankDigits = 6;

bool is_numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return false;
  if (name.size() <= prefix.size() + kSuffix.size()) return false;
  const auto number = name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
  return std::all_of(number.begin(), number.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::string numbered(std::string_view prefix, const std::string& number) {
  return std::string(prefix).append(number).append(kSuffix);
}

}  // namespace

// Padded, so that a list by name is one by rank.
std::string rank_file_name(std::uint32_t rank) {
  const std::string number = std::to_string(rank);
  return numbered(kRank, std::string(kRankDigits - std::min(kRankDigits, number.size()), '0') + number);
}
std::string node_file_name(std::uint32_t node) { return numbered(kNode, std::to_string(node)); }
std::string node_run_name(std::uint32_t node) { return numbered(kNodeRun, std::to_string(node)); }

bool is_rank_file(std::string_view name) { return is_numbered(name, kRank); }
bool is_node_file(std::string_view name) { return is_numbered(name, kNode); }
bool is_node_run(std::string_view name) { return is_numbered(name, kNodeRun); }
bool is_record_file(std::string_view name) {
  return name == kRunFile || is_rank_file(name) || is_node_file(name) || is_node_run(name);
}

}  // namespace comity::record
