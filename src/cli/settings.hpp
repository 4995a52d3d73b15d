// SPDX-License-Identifier: BSD-3-Clause
// The settings of the option table as this environment gives them, those out of range included. Not: the table
// (base/options), nor refusing to run with a bad one (base/options does, when a program starts).
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"
#include "cli/screen.hpp"

namespace comity::cli {

struct Setting {
  const OptionRow* row;
  std::string value;  // in force, or what is refused
  bool set = false;
  std::string problem;  // "": the value is inside its range
};

// One for each row, in the table's order.
[[nodiscard]] std::vector<Setting> settings(const Lookup& lookup);

}  // namespace comity::cli
