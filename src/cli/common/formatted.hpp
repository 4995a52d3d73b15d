// SPDX-License-Identifier: BSD-3-Clause
// Text by a format of printf, for pictures; no piece of one is longer.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace comity::cli {

template <typename... Values>
[[nodiscard]] std::string text_of(const char* format, Values... values) {
  std::array<char, 320> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// Any text as a text of SVG.
[[nodiscard]] inline std::string svg_text(std::string_view text) {
  std::string safe;
  for (const char letter : visible(text))
    safe += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : letter == '>' ? "&gt;" : std::string(1, letter);
  return safe;
}

}  // namespace comity::cli
