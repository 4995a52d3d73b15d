// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (Castagnoli), the checksum of a record: by the processor's instruction where it has one, else by tables.
// Source: G. Castagnoli et al., 1993; the tables: M. E. Kounavis and F. L. Berry, 2008 (slicing by eight).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace comity::record {

// `before`: the checksum of what stands before these bytes, 0 at the start.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

// The same without the instruction.
[[nodiscard]] std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

}  // namespace comity::record
