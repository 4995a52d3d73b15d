// SPDX-License-Identifier: BSD-3-Clause
// Finding: what one check of the doctor says. Fine things are findings too, so that one sees what was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comity::cli {

enum class Severity : std::uint8_t {
  ok,       // as it should be
  note,     // worth knowing; nothing to mend
  warning,  // runs will be slower, or one way is closed and another is taken
  error,    // runs will fail
};

struct Finding {
  std::string id;  // <area>.<word>: stable, for scripts
  Severity severity = Severity::ok;
  std::string what;    // what was found
  std::string why;     // why it matters; "" for ok
  std::string advice;  // what to do; "" for ok
};

using Findings = std::vector<Finding>;

[[nodiscard]] inline Finding fine(std::string id, std::string what) {
  return {std::move(id), Severity::ok, std::move(what), {}, {}};
}

}  // namespace comity::cli
