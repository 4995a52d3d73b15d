// SPDX-License-Identifier: BSD-3-Clause
// The ways to lay the two libraries out on a node, by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace twomesh {

enum class Mode { under, over, comity, comity_callee, under_full, full_under };

inline constexpr std::array<std::string_view, 6> kModeNames{"under",         "over",       "comity",
                                                            "comity-callee", "under-full", "full-under"};

[[nodiscard]] constexpr std::string_view name_of(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

[[nodiscard]] constexpr std::optional<Mode> mode_named(std::string_view name) {
  for (std::size_t place = 0; place < kModeNames.size(); ++place) {
    if (kModeNames[place] == name) return static_cast<Mode>(place);
  }
  return std::nullopt;
}

}  // namespace twomesh
