// SPDX-License-Identifier: BSD-3-Clause
// Text by a format of printf, for pictures; no piece of one is longer.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace comity::cli {

template <typename... Values>
[[nodiscard]] std::string text_of(const char* format, Values... values) {
  std::array<char, 320> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace comity::cli
