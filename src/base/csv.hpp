// SPDX-License-Identifier: BSD-3-Clause
// A text as a field of comma-separated values. Source: RFC 4180.
#pragma once

#include <string>
#include <string_view>

namespace comity {

[[nodiscard]] inline std::string csv_text(std::string_view text) {
  std::string field = "\"";
  for (const char letter : text) field.append(letter == '"' ? 2 : 1, letter);
  return field + '"';
}

}  // namespace comity
