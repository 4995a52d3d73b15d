// SPDX-License-Identifier: BSD-3-Clause
// What the comma-separated values of several runs have in common.
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace comity::memory {

// Empty where nobody knows it.
[[nodiscard]] inline std::string field_of(double bytes) {
  if (std::isnan(bytes)) return {};
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.0f", bytes);
  return text.data();
}

}  // namespace comity::memory
