// SPDX-License-Identifier: BSD-3-Clause
// A look at the ranks as a table for people and as JSON. Pure functions of the look.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/common/screen.hpp"
#include "cli/top/look.hpp"

namespace comity::cli {

// A line a rank; of lines that are too long the end is cut.
[[nodiscard]] std::string ranks_text(const Screen& screen, const Look& look, std::size_t columns = kColumns);
// A line a thread of each rank.
[[nodiscard]] std::string threads_text(const Screen& screen, const Look& look, std::size_t columns = kColumns);
[[nodiscard]] nlohmann::ordered_json look_json(const Look& look);

}  // namespace comity::cli
