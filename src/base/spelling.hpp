// SPDX-License-Identifier: BSD-3-Clause
// The nearest known name to a misspelt one, for every message that rejects a name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace comity {

// Edit distance of Damerau and Levenshtein: insertions, deletions, replacements, neighbours swapped.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name with the smallest distance, of those that are no further away than a third of the word's length; else one
// that has all the word's parts ("COMITY_SPIN" for "COMITY_NODE_SPIN_US"); else empty.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known);

}  // namespace comity
