// SPDX-License-Identifier: BSD-3-Clause
// JSON that somebody wrote by hand. Not: what it must hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace comity::cli {

// `name` is what errors call the text. Throws Status::argument where it is no JSON, or tells a key of an object twice, of which a parser
// would take one and say nothing.
[[nodiscard]] nlohmann::json told_json(std::string_view text, const std::string& name);

}  // namespace comity::cli
