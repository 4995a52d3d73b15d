// SPDX-License-Identifier: BSD-3-Clause
// A run watched from outside. One whose calls of MPI nobody can see: how long it took, how much of the processors' time, and its memory. One whose ranks
// tell of their memory at their end, and keep no record: what they had, where they do not come so far.
#pragma once

#include <cstdint>
#include <string>

#include "cli/run/plan.hpp"
#include "os/process/beside.hpp"

namespace comity::cli::launch {

// For people; `processors`: that the run may use here.
[[nodiscard]] std::string text_of(const os::Used& used, std::size_t processors);

enum class TellMemory : std::uint8_t { no, yes };  // yes: also of each rank, and what its maps were

// Runs the plan, prints that to standard error, and ends as the run ended.
[[noreturn]] void run_seen_from_outside(const Plan& plan, TellMemory tell_memory);

// Runs the plan, prints what its ranks had if it does not end well, and ends as the run ended.
[[noreturn]] void run_and_tell_how_ranks_were_lost(const Plan& plan);

}  // namespace comity::cli::launch
