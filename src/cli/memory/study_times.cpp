// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/study_times.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/csv.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/formatted.hpp"
#include "cli/common/json_text.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Times {
  std::string run;
  std::optional<double> bare_s, recorded_s;

  [[nodiscard]] std::optional<double> ratio() const {
    return bare_s && recorded_s && *bare_s > 0 ? std::optional(*recorded_s / *bare_s) : std::nullopt;
  }
};

std::string number_or(const char* format, const std::optional<double>& number, const char* otherwise) {
  return number ? text_of(format, *number) : otherwise;
}

Json json_of(const std::vector<Times>& all) {
  const auto number = [](const std::optional<double>& one) { return one ? Json(*one) : Json(nullptr); };
  Json runs = Json::array();
  for (const Times& one : all)
    runs.push_back({{"run", one.run},
                    {"bare_s", number(one.bare_s)},
                    {"recorded_s", number(one.recorded_s)},
                    {"ratio", number(one.ratio())}});
  return {{"runs", std::move(runs)}};
}

std::string rows_of(const std::vector<Times>& all) {
  std::string text = "run,bare_s,recorded_s,ratio\n";
  for (const Times& one : all)
    text += csv_text(one.run) + ',' + number_or("%.3f", one.bare_s, "") + ',' + number_or("%.3f", one.recorded_s, "") +
            ',' + number_or("%.3f", one.ratio(), "") + '\n';
  return text;
}

// Of one launch each: what differs by little is no more than what launches differ by.
std::string text_of_times(const std::vector<Times>& all) {
  std::size_t columns = 3;
  for (const Times& one : all) columns = std::max(columns, visible(one.run).size());
  const auto line = [&](const std::string& run, const std::string& bare, const std::string& recorded,
                        const std::string& ratio) {
    std::string text = "  " + run + std::string(columns - run.size(), ' ');
    for (const std::string& cell : {bare, recorded, ratio})
      text += std::string(12 - std::min<std::size_t>(cell.size(), 12), ' ') + cell;
    return text + '\n';
  };
  std::string text = "Seconds of each launch, as it is and recorded\n" + line("run", "bare", "recorded", "ratio");
  for (const Times& one : all)
    text += line(visible(one.run), number_or("%.3f", one.bare_s, "-"), number_or("%.3f", one.recorded_s, "-"),
                 number_or("%.3f", one.ratio(), "-"));
  return text;
}

}  // namespace

int show_times(const std::vector<StudyRun>& runs, RunsForm form) {
  std::vector<Times> all;
  all.reserve(runs.size());
  for (const StudyRun& run : runs) all.push_back({run.folder, time_of(run, Way::bare), time_of(run, Way::recorded)});
  const std::string text = form == RunsForm::json  ? json_text(json_of(all))
                           : form == RunsForm::csv ? rows_of(all)
                                                   : text_of_times(all);
  std::fputs(text.c_str(), stdout);
  return kGood;
}

}  // namespace comity::cli
