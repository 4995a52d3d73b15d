// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/settings.hpp"

#include "base/error.hpp"

namespace comity::cli {
namespace {

// The table's own check, made with this one variable set, so that one bad value does not hide the next.
std::string problem_of(const OptionRow& row, const std::string& value) {
  try {
    (void)Options(
        [&](std::string_view name) { return name == row.name ? std::optional<std::string>(value) : std::nullopt; });
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::vector<Setting> settings(const Lookup& lookup) {
  std::vector<Setting> all;
  for (const OptionRow& row : kOptionTable) {
    const std::optional<std::string> given = lookup(row.name);
    Setting setting{
        .row = &row, .value = given.value_or(std::string(row.fallback)), .set = given.has_value(), .problem = {}};
    if (given) setting.problem = problem_of(row, *given);
    all.push_back(std::move(setting));
  }
  return all;
}

}  // namespace comity::cli
