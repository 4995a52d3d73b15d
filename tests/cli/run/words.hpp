// SPDX-License-Identifier: BSD-3-Clause
// Command lines as a test writes them: words between blanks.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/host.hpp"

namespace comity::testing {

inline std::vector<std::string> words(const std::string& line) { return cli::split(line); }

inline std::string line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Programs in tests are called ./something.
inline bool is_program(const std::string& word) { return word.starts_with("./"); }

}  // namespace comity::testing
