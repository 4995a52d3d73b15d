// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.hpp"

#include <algorithm>
#include <charconv>

#include "base/cpu_set.hpp"
#include "base/error.hpp"
#include "base/spelling.hpp"

namespace comity {
namespace {

[[noreturn]] void reject(const OptionRow& row, const std::string& value) {
  throw Error(Status::option, "the setting " + std::string(row.name) + "=" + value + " is outside its range, " +
                                  std::string(row.range) + "; `comity env` explains it");
}

std::int64_t parse_number(const OptionRow& row, std::string_view text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) reject(row, whole);
  return value;
}

bool word_in_range(std::string_view word, std::string_view range) {
  while (true) {
    const std::size_t bar = range.find('|');
    if (word == range.substr(0, bar)) return true;
    if (bar == std::string_view::npos) return false;
    range.remove_prefix(bar + 1);
  }
}

bool is_cpu_list(const std::string& value) {
  try {
    return !CpuSet::parse_list(value).empty();
  } catch (const Error&) {
    return false;
  }
}

void check(const OptionRow& row, const std::string& value) {
  switch (row.kind) {
    case OptionKind::word:
      if (!word_in_range(value, row.range)) reject(row, value);
      return;
    case OptionKind::number: {
      const std::size_t dots = row.range.find("..");
      const std::int64_t number = parse_number(row, value, value);
      const bool low = number < parse_number(row, row.range.substr(0, dots), value);
      const bool high = number > parse_number(row, row.range.substr(dots + 2), value);
      if (low || high) reject(row, value);
      return;
    }
    case OptionKind::cpu_list:
      if (!value.empty() && !is_cpu_list(value)) reject(row, value);
      return;
    case OptionKind::folder:  // a relative one is another one in each working directory, an empty one the root
      if (value.empty() && row.fallback.empty()) return;
      if (!value.starts_with('/')) reject(row, value);
      return;
    case OptionKind::text:
      return;
  }
}

}  // namespace

Options::Options(const Lookup& lookup) {
  for (std::size_t i = 0; i < kOptionTable.size(); ++i) {
    const std::optional<std::string> given = lookup(kOptionTable[i].name);
    set_[i] = given.has_value();
    values_[i] = given.value_or(std::string(kOptionTable[i].fallback));
    check(kOptionTable[i], values_[i]);
  }
}

std::int64_t Options::number(OptionId id) const {
  const auto& row = kOptionTable[static_cast<std::size_t>(id)];
  return parse_number(row, text(id), text(id));
}

std::vector<UnknownName> unknown_options(const std::vector<std::string>& names) {
  std::array<std::string_view, kOptionTable.size()> known;
  std::transform(kOptionTable.begin(), kOptionTable.end(), known.begin(),
                 [](const OptionRow& row) { return row.name; });
  std::vector<UnknownName> unknown;
  for (const std::string& name : names) {
    if (!name.starts_with(kOptionPrefix)) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    unknown.push_back({name, nearest_name(name, known)});
  }
  return unknown;
}

}  // namespace comity
