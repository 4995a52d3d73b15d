// SPDX-License-Identifier: BSD-3-Clause
// A run whose calls of MPI nobody can see, watched from outside: how long it took, how much of the processors' time, and its memory.
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

}  // namespace comity::cli::launch
