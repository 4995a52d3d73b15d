// SPDX-License-Identifier: BSD-3-Clause
// What a command with --json prints. Names and arguments of others may be no UTF-8, which JSON cannot hold: such bytes become the
// replacement letter U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace comity::cli {

[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// The same in one line, for what is printed again and again.
[[nodiscard]] inline std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace comity::cli
