// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/incomplete.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "record/merge/names.hpp"

namespace comity::record {
namespace {

constexpr std::string_view kTable = "the table ";
constexpr std::string_view kDidNotFit = " did not fit";
constexpr std::string_view kBetween = "; ";

std::string named(std::string_view kind, const std::string& name) {
  return std::string(kind).append(name).substr(0, kLongestWithoutRoom_bytes);
}

}  // namespace

std::string the_fact(const std::string& key) { return named("the fact ", key); }
std::string the_stream(const std::string& lane) { return named("the stream ", lane); }
std::string the_table(const std::string& name) { return named(kTable, name); }

bool Incomplete::refuse(const std::string& what) {
  if (std::find(refused_.begin(), refused_.end(), what) != refused_.end()) return false;
  const bool is_table = what.starts_with(kTable);
  if (refused_.size() == kMostWithoutRoom) {
    if (!is_table || refused_.back().starts_with(kTable)) return !std::exchange(more_, true);
    refused_.pop_back();
    more_ = true;
  }
  const auto first_other =
      std::find_if(refused_.begin(), refused_.end(), [](const auto& one) { return !one.starts_with(kTable); });
  refused_.insert(is_table ? first_other : refused_.end(), what);
  return true;
}

bool Incomplete::accept(const std::string& what) { return std::erase(refused_, what) > 0; }

std::string Incomplete::words() const {
  std::string words;
  for (const std::string& what : refused_) words.append(words.empty() ? "" : kBetween).append(what).append(kDidNotFit);
  return more_ ? words + "; and more" : words;
}

bool found_no_room(const std::map<std::string, std::string>& facts, const std::string& what) {
  const auto found = facts.find(kIncompleteFact);
  if (found == facts.end()) return false;
  const std::string words = std::string(kBetween) + found->second + std::string(kBetween);
  return words.find(std::string(kBetween).append(what).append(kDidNotFit).append(kBetween)) != std::string::npos;
}

}  // namespace comity::record
