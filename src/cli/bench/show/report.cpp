// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/show/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/json_text.hpp"

namespace comity::cli::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTableColumns = 132;  // the verdict stands last, and must not be cut off

template <typename... Numbers>
std::string text_of(const char* format, Numbers... numbers) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

const char* name_of(Goal::On what) {
  switch (what) {
    case Goal::On::ratio:
      return "ratio";
    case Goal::On::value:
      return "value";
    case Goal::On::difference:
      break;
  }
  return "difference";
}

Json goal_json(const Goal& goal) { return {{"on", name_of(goal.on)}, {"op", "<="}, {"bound", goal.bound}}; }

Json row_json(const Row& row) {
  const bool absent = row.verdict == Verdict::absent;
  Json json{{"case", row.name},
            {"mpi", row.mpi},
            {"ranks", row.ranks},
            {"threads", row.threads},
            {"value", absent ? Json(nullptr) : Json(row.value)},
            {"unit", row.unit},
            {"sd", row.deviation},
            {"ci95", Json::array({nullptr, nullptr})},
            {"n", row.count},
            {"reference", row.reference},
            {"reference_value", row.reference.empty() ? Json(nullptr) : Json(row.reference_value)},
            {"ratio", row.reference.empty() ? Json(nullptr) : Json(row.ratio)},
            {"goal", nullptr},
            {"extra", {{"verdict", verdict_name(row.verdict)}}}};
  if (absent) json["extra"]["why_absent"] = row.why_absent;
  if (row.ci95) json["ci95"] = {row.ci95->low, row.ci95->high};
  if (row.goal) json["goal"] = goal_json(*row.goal);
  for (const auto& [key, value] : row.extra) json["extra"][key] = value;
  for (const auto& [number, by, ours, theirs] : row.lost) {
    json["extra"]["lost"].push_back({{"job", number}, {"by", by}, {"ours", ours}, {"theirs", theirs}});
  }
  return json;
}

std::string percent_text(double percent) { return text_of(percent < 9.95 ? "%.1f %%" : "%.0f %%", percent); }

// Three digits and a unit that keeps the number short.
std::string quantity_text(double value, const std::string& unit) {
  struct Step {
    const char* from;
    double most;
    double factor;
    const char* to;
  };
  static constexpr std::array kSteps{Step{"ns", 1e3, 1.0, "ns"}, Step{"ns", 1e6, 1e-3, "us"},
                                     Step{"ns", 1e9, 1e-6, "ms"}, Step{"ns", 1e300, 1e-9, "s"}};
  for (const Step& step : kSteps) {
    if (unit == step.from && value < step.most) return text_of("%.3g %s", value * step.factor, step.to);
  }
  return text_of(unit == "s" ? "%.3f %s" : "%.4g %s", value, unit.c_str());
}

std::string bound_text(const Row& row) {
  if (row.verdict == Verdict::absent) return verdict_name(row.verdict);
  if (!row.goal) return row.verdict == Verdict::undecided ? verdict_name(row.verdict) : "";
  const std::string bound =
      row.goal->on == Goal::On::ratio ? text_of("%.3g", row.goal->bound) : quantity_text(row.goal->bound, row.unit);
  const char* const more = row.goal->on == Goal::On::difference ? " more" : "";
  return std::string(verdict_name(row.verdict)) + " (" + bound + more + ')';
}

std::string interval_text(const Row& row) {
  if (!row.ci95) return "too few";
  const Goal::On what = row.goal ? row.goal->on : Goal::On::ratio;
  if (what == Goal::On::ratio) return text_of("%.3f-%.3f", row.ci95->low, row.ci95->high);
  if (what == Goal::On::difference) return text_of("%+.3g to %+.3g", row.ci95->low, row.ci95->high);
  return text_of("%.3g-", row.ci95->low) + text_of("%.3g", row.ci95->high);
}

std::vector<std::string> absent_text(const Row& row, std::size_t columns) {
  std::vector<std::string> cells(columns, "-");
  cells.front() = row.name;
  cells.back() = bound_text(row);
  return cells;
}

std::vector<std::string> heading_text(const Report& report) {
  std::vector<std::string> cells{"case"};
  if (report.names_references) cells.emplace_back("beside");
  for (const char* const each : {"value", "reference", "ratio", "95 %"}) cells.emplace_back(each);
  for (const Column& column : report.columns) cells.push_back(column.heading);
  cells.emplace_back("goal");
  return cells;
}

std::vector<std::string> row_text(const Row& row, const Report& report) {
  if (row.verdict == Verdict::absent) return absent_text(row, heading_text(report).size());
  const bool alone = row.reference.empty();
  std::vector<std::string> cells{row.name};
  if (report.names_references) cells.push_back(row.reference);
  for (std::string& each : std::vector<std::string>{quantity_text(row.value, row.unit),
                                                    alone ? "-" : quantity_text(row.reference_value, row.unit),
                                                    alone ? "-" : text_of("%.3f", row.ratio), interval_text(row)}) {
    cells.push_back(std::move(each));
  }
  for (const Column& column : report.columns) {
    const double value = column.key == "sd" ? row.deviation : row.extra_named(column.key);
    const bool has_none = value == 0.0 && column.unit != "%";
    const std::string& unit = column.unit.empty() ? row.unit : column.unit;
    cells.push_back(has_none ? "" : unit == "%" ? percent_text(value) : quantity_text(value, unit));
  }
  cells.push_back(bound_text(row));
  return cells;
}

// Said only of a job on several nodes.
std::string nodes_text(const Row& row) {
  const auto nodes = static_cast<std::size_t>(row.extra_named("nodes"));
  return nodes > 1 ? " on " + count_text(nodes, "node") : "";
}

bool of_one_section(const Row& one, const Row& other) {
  return one.mpi == other.mpi && one.ranks == other.ranks && one.threads == other.threads;
}

// The rows of one MPI and number of ranks and threads.
std::string section_text(const Report& report, const Row& first, const Screen& screen) {
  std::vector<std::vector<std::string>> cells{heading_text(report)};
  std::size_t count = 0;
  std::string absent;
  for (const Row& row : report.rows) {
    if (!of_one_section(row, first)) continue;
    cells.push_back(row_text(row, report));
    count = std::max(count, row.count);
    if (row.verdict == Verdict::absent) absent += wrap(row.name + ": " + row.why_absent, 2);
  }
  return screen.paint(Colour::strong, first.mpi) + ": " + count_text(static_cast<std::size_t>(first.ranks), "rank") +
         nodes_text(first) + ", " + count_text(static_cast<std::size_t>(first.threads), "thread") + ", up to " +
         count_text(count, "pair") + '\n' + table(cells, 0, kTableColumns) + absent + '\n';
}

}  // namespace

std::string to_json(const Report& report) {
  Json rows = Json::array();
  for (const Row& row : report.rows) rows.push_back(row_json(row));
  const Host& host = report.host;
  const Json json{{"bench", report.bench},
                  {"machine",
                   {{"cpu", host.cpu},
                    {"cores", host.cores},
                    {"harts", host.harts},
                    {"kernel", host.kernel},
                    {"load_before", host.load_before},
                    {"settings", host.settings}}},
                  {"rows", rows}};
  return json_text(json);
}

std::string to_text(const Report& report, const Screen& screen) {
  const Host& host = report.host;
  std::string text = "bench " + report.bench + " on " + host.cpu + ", " +
                     count_text(static_cast<std::size_t>(host.cores), "core") + ", Linux " + host.kernel +
                     text_of(", load %.2f\n", host.load_before);
  for (const std::string& setting : host.settings) text += "not by default: " + setting + '\n';
  text += '\n';
  const Row* last = nullptr;
  for (const Row& row : report.rows) {
    if (last == nullptr || !of_one_section(*last, row)) text += section_text(report, row, screen);
    last = &row;
  }
  return text + wrap(report.note, 0);
}

}  // namespace comity::cli::bench
