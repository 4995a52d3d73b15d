// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/report.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace comity::cli::bench {
namespace {

using Json = nlohmann::ordered_json;

template <typename... Numbers>
std::string text_of(const char* format, Numbers... numbers) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

Json row_json(const Comparison& row, std::string_view reference) {
  const Ratio ratio = row.ratio();
  Json json{{"case", row.plan().name},
            {"mpi", row.plan().mpi},
            {"ranks", row.ranks()},
            {"threads", row.threads()},
            {"value", row.seconds()},
            {"unit", "s"},
            {"sd", row.deviation_seconds()},
            {"ci95", Json::array({nullptr, nullptr})},
            {"n", row.pairs()},
            {"reference", reference},
            {"reference_value", row.reference_seconds()},
            {"ratio", ratio.estimate},
            {"goal", nullptr},
            {"extra", Json::object()}};
  if (ratio.ci95) json["ci95"] = {ratio.ci95->low, ratio.ci95->high};
  if (row.plan().goal) json["goal"] = {{"on", "ratio"}, {"op", "<="}, {"bound", row.plan().goal->bound}};
  json["extra"] = {{"verdict", verdict_name(row.verdict())},
                   {"precision_wanted", row.plan().precision},
                   {"reference_sd", row.reference_deviation_seconds()},
                   {"waiter_cpu_s", row.waiter_cpu_seconds()},
                   {"waiter_cpu_percent", 100.0 * row.waiter_cpu_share()}};
  return json;
}

// At most five characters: the row is as wide as the screen.
std::string percent_text(double percent) { return text_of(percent < 9.95 ? "%.1f %%" : "%.0f %%", percent); }

std::vector<std::string> row_text(const Comparison& row) {
  const Ratio ratio = row.ratio();
  const Verdict verdict = row.verdict();
  return {row.plan().name,
          text_of("%.3f", row.seconds()),
          text_of("%.3f", row.reference_seconds()),
          text_of("%.3f", ratio.estimate),
          ratio.ci95 ? text_of("%.3f-%.3f", ratio.ci95->low, ratio.ci95->high) : "too few",
          text_of("%.3f", row.deviation_seconds()),
          percent_text(100.0 * row.waiter_cpu_share()),
          verdict == Verdict::measured ? "" : verdict_name(verdict)};
}

// The rows of one MPI.
std::string section_text(const Report& report, const std::string& mpi, const Screen& screen) {
  std::vector<std::vector<std::string>> cells{
      {"case", "time s", std::string(report.reference), "ratio", "95 %", "sd s", "CPU", "goal"}};
  std::size_t pairs = 0;
  std::string sizes;
  for (const Comparison& row : report.rows) {
    if (row.plan().mpi != mpi) continue;
    cells.push_back(row_text(row));
    pairs += row.pairs();
    sizes = count_text(static_cast<std::size_t>(row.ranks()), "rank") + ", " +
            count_text(static_cast<std::size_t>(row.threads()), "thread");
  }
  return screen.paint(Colour::strong, mpi) + ": " + sizes + ", " + count_text(pairs, "pair") + '\n' + table(cells, 0) +
         '\n';
}

std::string goal_text(const Comparison& row) {
  return "goal of " + row.plan().name + ": ratio at most " + text_of("%.2f", row.plan().goal->bound);
}

}  // namespace

std::string to_json(const Report& report) {
  Json rows = Json::array();
  for (const Comparison& row : report.rows) rows.push_back(row_json(row, report.reference));
  const Host& host = report.host;
  const Json json{{"bench", report.bench},
                  {"machine",
                   {{"cpu", host.cpu},
                    {"cores", host.cores},
                    {"harts", host.harts},
                    {"kernel", host.kernel},
                    {"load_before", host.load_before}}},
                  {"rows", rows}};
  return json.dump(2) + '\n';
}

std::string to_text(const Report& report, const Screen& screen) {
  const Host& host = report.host;
  std::string text = "bench " + std::string(report.bench) + " on " + host.cpu + ", " +
                     count_text(static_cast<std::size_t>(host.cores), "core") + ", Linux " + host.kernel +
                     text_of(", load %.2f\n\n", host.load_before);
  std::string last_mpi, goals;
  for (const Comparison& row : report.rows) {
    if (row.plan().mpi != last_mpi) text += section_text(report, row.plan().mpi, screen);
    last_mpi = row.plan().mpi;
    if (row.plan().goal && goals.empty()) goals = goal_text(row) + "; ";
  }
  return text +
         wrap(goals + "undecided: the 95 % interval of the ratio is wider than this row's limit. CPU: what one " +
                  "waiter burns of its core. sd: of the case's times.",
              0);
}

}  // namespace comity::cli::bench
