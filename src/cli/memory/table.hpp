// SPDX-License-Identifier: BSD-3-Clause
// A view of processes' memory as text for people and as JSON for scripts.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/memory/view.hpp"
#include "cli/screen.hpp"

namespace comity::cli {

[[nodiscard]] std::string memory_text(const Screen& screen, const MemoryView& view, std::size_t columns);
[[nodiscard]] nlohmann::ordered_json memory_json(const MemoryView& view);

}  // namespace comity::cli
