// SPDX-License-Identifier: BSD-3-Clause
// Places: where runs stand that are to be set side by side. Not: what they say (runs).
#pragma once

#include <string>
#include <vector>

namespace comity::cli {

// What stands at a place, by the first lines where it is a file: our record, or what an older tool has left of a run.
enum class RunKind { record, memnesia, mpimemu };
[[nodiscard]] RunKind kind_of_run(const std::string& place);

// The runs in a folder of runs, as a study leaves it, and in folders in it: np2 before np10. Of anything else the place as it is.
[[nodiscard]] std::vector<std::string> runs_in(const std::string& place);
[[nodiscard]] std::vector<std::string> runs_in(const std::vector<std::string>& places);

}  // namespace comity::cli
