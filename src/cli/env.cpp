// SPDX-License-Identifier: BSD-3-Clause
// `comity env`: the option table with the values in force. All of it comes from the rows of base/options.
#include "cli/env.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/screen.hpp"
#include "cli/common/settings.hpp"
#include "os/environment.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kExamples{
    Example{"comity env", "every setting: its value here, its range, and what it trades"},
    Example{"COMITY_NODE_SPIN=50 comity env", "finds the misspelt variable, names the nearest one, and ends with 1"},
    Example{"comity env --json | jq '.settings[] | select(.set)'", "only what is set here"},
};

constexpr Manual kManual{"env", "", kSettingsText, kExamples};

struct Report {
  std::vector<Setting> settings;
  std::vector<UnknownName> unknown;

  [[nodiscard]] bool good() const {
    return unknown.empty() &&
           std::all_of(settings.begin(), settings.end(), [](const Setting& s) { return s.problem.empty(); });
  }
};

Json to_json(const Report& report) {
  Json settings = Json::array();
  for (const Setting& s : report.settings) {
    Json row{{"name", s.row->name},        {"value", s.value},    {"set", s.set},
             {"default", s.row->fallback}, {"unit", s.row->unit}, {"range", s.row->range},
             {"valid", s.problem.empty()}, {"help", s.row->help}};
    settings.push_back(std::move(row));
  }
  Json unknown = Json::array();
  for (const UnknownName& name : report.unknown) unknown.push_back({{"name", name.name}, {"nearest", name.nearest}});
  return {{"settings", settings}, {"unknown", unknown}};
}

std::string or_empty(std::string_view value) { return value.empty() ? "(empty)" : std::string(value); }

std::string setting_text(const Screen& screen, const Setting& s) {
  const std::string unit = s.row->unit.empty() ? "" : ' ' + std::string(s.row->unit);
  std::string text =
      screen.paint(Colour::strong, s.row->name) + " = " + or_empty(s.value) + (s.value.empty() ? "" : unit);
  text += s.set ? ' ' + screen.paint(Colour::yellow, "(set here)") : std::string();
  text += '\n' + wrap("range " + std::string(s.row->range) + unit + "; default " + or_empty(s.row->fallback), 4);
  if (!s.problem.empty()) text += screen.paint(Colour::red, wrap("REFUSED: " + s.problem, 4));
  return text + wrap(s.row->help, 4);
}

std::string to_text(const Screen& screen, const Report& report) {
  std::string text;
  for (const Setting& setting : report.settings) text += setting_text(screen, setting) + '\n';
  for (const UnknownName& name : report.unknown) {
    text += screen.paint(Colour::red, "unknown variable ") + name.name;
    text += name.nearest.empty() ? ": no setting is near; unset it\n"
                                 : "; did you mean " + std::string(name.nearest) + "?\n";
  }
  if (report.unknown.empty()) text += "No unknown COMITY_ variable is set.\n";
  return text;
}

}  // namespace

int env_command(std::span<const std::string> words) {
  bool json = false;
  Arguments arguments(kManual);
  arguments.add_json_flag(json);
  if (arguments.parse(words) == Next::stop) return kGood;
  const Report report{settings(os::environment), unknown_options(os::environment_names(kOptionPrefix))};
  const std::string text =
      json ? json_text(to_json(report)) : to_text(Screen::of_standard_output(os::environment), report);
  std::fputs(text.c_str(), stdout);
  return report.good() ? kGood : kFindings;
}

}  // namespace comity::cli
