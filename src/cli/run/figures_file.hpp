// SPDX-License-Identifier: BSD-3-Clause
// The file that a run's figures go to as JSON. Not: what stands in it (src/preload/last_page).
#pragma once

#include <string>

namespace comity::cli::launch {

// By its whole path, for ranks may start elsewhere. Makes nothing.
[[nodiscard]] std::string figures_file(const std::string& file);

// Proves that it can be written, and takes away what an earlier run left there: what stands there afterwards is of this run. Throws
// Error.
void clear_figures_file(const std::string& file);

}  // namespace comity::cli::launch
