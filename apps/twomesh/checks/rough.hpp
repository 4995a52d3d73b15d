// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mesh/checksum.hpp"

namespace twomesh::checks {

// A field without any smoothness: a hash of the cell's place, in 0.5 .. 1.5.
[[nodiscard]] inline double rough(int i, int j) {
  Checksum hash;
  hash.add(static_cast<std::uint64_t>(i));
  hash.add(static_cast<std::uint64_t>(j));
  return 0.5 + static_cast<double>(hash.value() >> 11) * 0x1p-53;
}

}  // namespace twomesh::checks
