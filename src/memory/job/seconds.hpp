// SPDX-License-Identifier: BSD-3-Clause
// Seconds that may not be known, in the objects and tables of a job.
#pragma once

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace comity::memory {

// null where they are not known.
[[nodiscard]] inline nlohmann::ordered_json seconds_json(const std::optional<double>& time_s) {
  return time_s ? nlohmann::ordered_json(*time_s) : nlohmann::ordered_json(nullptr);
}

// `unknown` where they are not known.
[[nodiscard]] inline std::string seconds_field(const std::optional<double>& time_s, int digits = 6,
                                               const char* unknown = "") {
  if (!time_s) return unknown;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, *time_s);
  return text.data();
}

}  // namespace comity::memory
