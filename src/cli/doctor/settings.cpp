// SPDX-License-Identifier: BSD-3-Clause
// Settings: COMITY_ variables that do not exist or have a value outside their range.
#include "cli/common/settings.hpp"

#include "cli/doctor/checks.hpp"

namespace comity::cli {

Findings check_settings(const Host& host) {
  Findings found;
  for (const UnknownName& unknown : unknown_options(host.variable_names)) {
    found.push_back(
        {"settings." + unknown.name, Severity::warning, unknown.name + " is no setting of Comity", "It does nothing.",
         unknown.nearest.empty() ? "Unset it; `comity env` lists the settings."
                                 : "Did you mean " + std::string(unknown.nearest) + "? `comity env` explains it."});
  }
  for (const Setting& setting : settings(host.variable)) {
    if (setting.problem.empty()) continue;
    found.push_back({"settings." + std::string(setting.row->name), Severity::error, setting.problem,
                     "Every rank refuses to create a context.", "Give it a value of its range, or unset it."});
  }
  if (found.empty())
    found.push_back(fine("settings.variables", "every COMITY_ variable that is set exists and is in range"));
  return found;
}

}  // namespace comity::cli
