// SPDX-License-Identifier: BSD-3-Clause
// A view of processes' memory for scripts.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/memory/view.hpp"

namespace comity::cli {

[[nodiscard]] nlohmann::ordered_json memory_json(const MemoryView& view);

}  // namespace comity::cli
