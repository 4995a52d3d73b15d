// SPDX-License-Identifier: BSD-3-Clause
// What texts about figures are made of: numbers with units, short names, lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

#include "base/utf8.hpp"

namespace comity::metrics {

inline constexpr std::size_t kMostRegions = 12;  // lines of a table of regions: all fit on a screen

template <typename... Values>
std::string line(const char* format, Values... values) {
  const int bytes = std::snprintf(nullptr, 0, format, values...);
  std::string text(static_cast<std::size_t>(std::max(0, bytes)), '\0');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  return text;
}

inline std::string ratio(const std::optional<double>& value) { return value ? line("%.2f", *value) : "-"; }

inline std::string count(double number) {
  constexpr std::array<const char*, 5> kUnits{"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (number >= 10'000 && unit + 1 < kUnits.size()) {
    number /= 1000;
    ++unit;
  }
  return line("%.0f%s", number, kUnits.at(unit));
}

inline std::string bytes(double number) {
  constexpr std::array<const char*, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (number >= 1024 && unit + 1 < kUnits.size()) {
    number /= 1024;
    ++unit;
  }
  return unit == 0 ? line("%.0f B", number) : line("%.1f %s", number, kUnits.at(unit));
}

inline std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : "..." + std::string(end_of(text, most - 3));
}

}  // namespace comity::metrics
