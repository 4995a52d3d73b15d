// SPDX-License-Identifier: BSD-3-Clause
// A machine for a command to show. hwloc dies of some XML files: a child tries those first.
#pragma once

#include "machine/loader.hpp"

namespace comity::cli {

// load: machine::load or one of its kind. Throws what it throws, and Status::topology for a file that ends it.
[[nodiscard]] machine::Image load_tried(const machine::Source& source, machine::Image (*load)(const machine::Source&));

}  // namespace comity::cli
