// SPDX-License-Identifier: BSD-3-Clause
// What a setting is called in the environment.
#pragma once

#include <string_view>

#include "base/options.hpp"

namespace comity::cli::launch {

[[nodiscard]] inline std::string_view name_of(OptionId id) { return kOptionTable[static_cast<std::size_t>(id)].name; }

}  // namespace comity::cli::launch
