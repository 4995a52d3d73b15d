// SPDX-License-Identifier: BSD-3-Clause
// What of a rank's tables goes into its record, which has room for other things too, and its bytes as a record has them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::memory {

inline constexpr std::size_t kMostWritten = 128;           // rows of a table, the largest
inline constexpr std::int64_t kLeastWritten_bytes = 4096;  // a row of fewer is left out

// Signed, for a record's numbers may be differences.
[[nodiscard]] constexpr std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace comity::memory
