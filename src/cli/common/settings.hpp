// SPDX-License-Identifier: BSD-3-Clause
// The settings of the option table as this environment gives them, those out of range included. Not: the table
// (base/options), nor refusing to run with a bad one (base/options does, when a program starts).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "cli/common/screen.hpp"

namespace comity::cli {

// What they are, for `comity env --help` and the manual.
inline constexpr std::string_view kSettingsText =
    "The settings of Comity are environment variables. The ranks read them when they create their first context, and "
    "where Comity's library is preloaded at their first call of MPI, so hand them to all ranks (mpirun -x NAME with "
    "Open "
    "MPI, -genv NAME VALUE with MPICH).\n"
    "comity env lists them with the values in force. Its exit code is 1 if a COMITY_ variable is set that does not "
    "exist, "
    "or one has a value outside its range.";

struct Setting {
  const OptionRow* row;
  std::string value;  // in force, or what is refused
  bool set = false;
  std::string problem;  // "": the value is inside its range
};

// One for each row, in the table's order.
[[nodiscard]] std::vector<Setting> settings(const Lookup& lookup);

}  // namespace comity::cli
