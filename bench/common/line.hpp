// SPDX-License-Identifier: BSD-3-Clause
// The line of JSON in which a program tells the command what its cases found.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "common/timing.hpp"

namespace bench {

inline std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    char number[40];
    std::snprintf(number, sizeof number, "%s%.9g", text.empty() ? "" : ", ", value);
    text += number;
  }
  return "[" + text + "]";
}

inline std::string to_json(const Outcome& outcome) {
  std::string extra;
  for (const auto& [name, value] : outcome.extra) {
    extra.append(extra.empty() ? "" : ", ").append("\"").append(name).append("\": ").append(std::to_string(value));
  }
  return "{\"name\": \"" + outcome.name + "\", \"unit\": \"" + outcome.unit + "\", \"reference\": \"" +
         outcome.reference + "\", \"values\": " + list(outcome.values) +
         ", \"references\": " + list(outcome.references) + ", \"extra\": {" + extra + "}}";
}

// work: a checksum, equal for launches that are to be compared; "" for none.
inline void print(int ranks, int nodes, const std::vector<Outcome>& outcomes, const std::string& work = "") {
  std::string cases;
  for (const Outcome& outcome : outcomes) cases += (cases.empty() ? "" : ", ") + to_json(outcome);
  std::printf("{\"case\": \"all\", \"ranks\": %d, \"nodes\": %d, \"work\": \"%s\", \"cases\": [%s]}\n", ranks, nodes,
              work.c_str(), cases.c_str());
  std::fflush(stdout);
}

}  // namespace bench
