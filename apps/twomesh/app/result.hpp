// SPDX-License-Identifier: BSD-3-Clause
// The result of a run: its JSON form, its one line, and the timeline's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line.hpp"
#include "checks/check.hpp"
#include "coupling/simulation.hpp"

namespace twomesh::app {

struct Result {
  std::string mode;
  int ranks = 0;
  std::vector<checks::CheckResult> checks;
  bool simulated = false;  // false: only checks ran
  coupling::SimulationResult simulation;

  [[nodiscard]] bool checks_passed() const;
};

// The checks that every simulation carries: conservation, residual, remap.
[[nodiscard]] std::vector<checks::CheckResult> checks_of(const coupling::SimulationResult& simulation,
                                                         const coupling::HeatOptions& heat);
// The sums of an earlier result, and nothing else of it, which may be long; none: the text is no result of a simulation.
[[nodiscard]] std::optional<nlohmann::ordered_json> sums_in(std::string_view text);
// Checksums equal those of an earlier result.
[[nodiscard]] checks::CheckResult compare(const coupling::SimulationResult& simulation,
                                          const nlohmann::ordered_json& earlier);

[[nodiscard]] nlohmann::ordered_json to_json(const Result& result);
[[nodiscard]] nlohmann::ordered_json timeline_json(const std::vector<coupling::Span>& spans);
[[nodiscard]] std::string one_line(const Result& result);

}  // namespace twomesh::app
