// SPDX-License-Identifier: BSD-3-Clause
#include "app/result.hpp"

#include <algorithm>
#include <cstdio>

#include "checks/drift.hpp"
#include "mesh/checksum.hpp"

namespace twomesh::app {
namespace {

using nlohmann::ordered_json;

constexpr double kRoundTripBound = 1e-12;
// Phases in the order of the JSON and of the line.
constexpr std::array<coupling::Phase, coupling::kPhases> kShown{coupling::Phase::l0, coupling::Phase::l1,
                                                                coupling::Phase::remap, coupling::Phase::quiesce};

template <typename Count>
std::string numbered(Count count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string key_of(coupling::Phase phase) {
  return std::string(coupling::kPhaseNames[static_cast<std::size_t>(phase)]) + "_s";
}

double total_of(const std::vector<coupling::StepTimes>& steps, coupling::Phase phase,
                coupling::PhaseTimes coupling::StepTimes::*part = &coupling::StepTimes::all) {
  double sum = 0.0;
  for (const auto& step : steps) sum += (step.*part)[static_cast<std::size_t>(phase)];
  return sum;
}

double total_of(const std::vector<coupling::StepTimes>& steps) {
  double sum = 0.0;
  for (const coupling::Phase phase : kShown) sum += total_of(steps, phase);
  return sum;
}

void add_simulation(ordered_json& json, const coupling::SimulationResult& run) {
  json["threads"] = run.heat.team;
  json["steps"] = run.step_times.size();
  json["total_s"] = total_of(run.step_times);
  for (const coupling::Phase phase : kShown) {
    json["phases"][key_of(phase)] = total_of(run.step_times, phase);
    ordered_json& steps = json["step_phases"][key_of(phase)];
    for (const auto& step : run.step_times) steps.push_back(step.all[static_cast<std::size_t>(phase)]);
  }
  if (run.narrow_ranks > 0) {
    json["narrow"]["ranks"] = run.narrow_ranks;
    for (const coupling::Phase phase : {coupling::Phase::l0, coupling::Phase::remap, coupling::Phase::quiesce}) {
      json["narrow"][key_of(phase)] = total_of(run.step_times, phase, &coupling::StepTimes::narrow);
    }
  }
  json["simulated_time"] = run.simulated_time;
  json["cg_iterations"] = run.heat.iterations;
  json["checksum"] = {{"fields", to_hex(run.fields_checksum)}, {"cg", to_hex(run.heat.checksum)}};
}

}  // namespace

bool Result::checks_passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const auto& check) { return check.passed; });
}

std::vector<checks::CheckResult> checks_of(const coupling::SimulationResult& run, const coupling::HeatOptions& heat) {
  const checks::Drift drift = checks::drift_between(run.totals_before, run.totals_after);
  const double residual_bound = 1.01 * heat.solver.tolerance;
  std::vector<checks::CheckResult> all{
      {"conservation",
       drift.largest() <= checks::kDriftBound,
       {{"mass", drift.mass}, {"momentum", drift.momentum}, {"energy", drift.energy}, {"bound", checks::kDriftBound}}},
      {"residual",
       run.heat.steps_not_converged == 0 && run.heat.true_residual <= residual_bound,
       {{"measured", run.heat.true_residual},
        {"steps_not_converged", run.heat.steps_not_converged},
        {"bound", residual_bound}}}};
  if (heat.back == coupling::Return::all) {
    all.push_back({"remap",
                   run.round_trip_error <= kRoundTripBound,
                   {{"there_and_back", run.round_trip_error}, {"bound", kRoundTripBound}}});
  }
  return all;
}

std::optional<ordered_json> sums_in(std::string_view text) {
  using Event = ordered_json::parse_event_t;
  const auto keep = [](int depth, Event event, const ordered_json& parsed) {
    if (event == Event::key && depth == 1) return parsed == "checksum";
    return event != Event::array_start && (event != Event::object_start || depth <= 1);
  };
  ordered_json json = ordered_json::parse(text, keep, false);
  const auto holds = [&](const char* which) {
    const ordered_json& sums = json["checksum"];
    return sums.contains(which) && sums[which].is_string();
  };
  const bool usable = json.is_object() && json.contains("checksum") && json["checksum"].is_object();
  if (!usable || !holds("fields") || !holds("cg")) return std::nullopt;
  return json;
}

checks::CheckResult compare(const coupling::SimulationResult& run, const ordered_json& earlier) {
  const auto same = [&](const char* which, std::uint64_t value) {
    return earlier.at("checksum").at(which).get<std::string>() == to_hex(value);
  };
  const bool fields = same("fields", run.fields_checksum);
  const bool cg = same("cg", run.heat.checksum);
  return {"expected", fields && cg, {{"fields_equal", fields ? 1.0 : 0.0}, {"cg_equal", cg ? 1.0 : 0.0}}};
}

ordered_json to_json(const Result& result) {
  ordered_json json{{"mode", result.mode}, {"mpi", TWOMESH_MPI}, {"ranks", result.ranks}};
  if (result.simulated) add_simulation(json, result.simulation);
  json["checks"] = ordered_json::object();
  for (const checks::CheckResult& check : result.checks) {
    ordered_json& entry = json["checks"][check.name];
    entry["passed"] = check.passed;
    for (const auto& [name, value] : check.numbers) entry[name] = value;
  }
  json["checks_passed"] = result.checks_passed();
  return json;
}

ordered_json timeline_json(const std::vector<coupling::Span>& spans) {
  ordered_json json = ordered_json::array();
  for (const coupling::Span& span : spans) {
    ordered_json cpus{span.first_cpu};
    if (span.last_cpu != span.first_cpu) cpus.push_back(span.last_cpu);
    json.push_back({{"rank", span.rank},
                    {"thread", span.thread},
                    {"phase", coupling::kPhaseNames[static_cast<std::size_t>(span.phase)]},
                    {"start_s", span.start_s},
                    {"end_s", span.end_s},
                    {"cpu_s", span.cpu_s},
                    {"cpus", cpus}});
  }
  return json;
}

std::string one_line(const Result& result) {
  std::string line = "twomesh " + result.mode + ' ' + TWOMESH_MPI + ' ' + numbered(result.ranks, "rank");
  if (result.simulated) {
    const auto& run = result.simulation;
    line += " x " + numbered(run.heat.team, "thread") + ", " + numbered(run.step_times.size(), "step");
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), ": %.3f s (l0 %.3f, l1 %.3f, remap %.3f, quiesce %.3f)",
                  total_of(run.step_times), total_of(run.step_times, coupling::Phase::l0),
                  total_of(run.step_times, coupling::Phase::l1), total_of(run.step_times, coupling::Phase::remap),
                  total_of(run.step_times, coupling::Phase::quiesce));
    line += text.data() + std::string(", fields ") + to_hex(run.fields_checksum) + ", cg " + to_hex(run.heat.checksum);
  }
  std::string failed;
  for (const checks::CheckResult& check : result.checks) {
    if (!check.passed) failed += ' ' + check.name;
  }
  return line + (failed.empty() ? ", checks passed" : ", checks FAILED:" + failed);
}

}  // namespace twomesh::app
