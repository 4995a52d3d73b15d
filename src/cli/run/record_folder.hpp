// SPDX-License-Identifier: BSD-3-Clause
// The folder that a run's record goes to: whole, ours to write, and without a record of an earlier run.
#pragma once

#include <string>

namespace comity::cli::launch {

// By its whole path, for ranks may start elsewhere. Throws Error where it cannot be made, or holds a record. Makes nothing.
[[nodiscard]] std::string record_folder(const std::string& folder);

// Throws Error.
void make_record_folder(const std::string& folder);

}  // namespace comity::cli::launch
