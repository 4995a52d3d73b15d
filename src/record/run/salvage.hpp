// SPDX-License-Identifier: BSD-3-Clause
// Salvage: an index of what a merged file holds whose own cannot be read, because the file was cut off or changed. Found are the bodies
// whose start holds, whole or not. How many ranks the job had is not known: as many as the highest one tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "record/run/run_index.hpp"

namespace comity::record {

// Reads until `into` is full or the file ends; returns the bytes read.
using ReadAt = std::function<std::size_t(std::span<std::byte> into, std::uint64_t offset)>;

// `bodies_end`: where no more of them are. A body that is found may end behind it, where it was cut off.
[[nodiscard]] RunIndex salvage(const ReadAt& read, std::uint64_t bodies_end);

}  // namespace comity::record
