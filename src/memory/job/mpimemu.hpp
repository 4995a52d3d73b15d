// SPDX-License-Identifier: BSD-3-Clause
// A run as mpimemu, the older tool of those who wrote memnesia, has told of it: what all that was resident changed by in MPI_Init, over ranks.
// It knows no rank of its own, and no time. Source: print_settings() and mmu_process_process_usage() of mpimemu 1.4.2.
#pragma once

#include <string>
#include <string_view>

#include "memory/job/scaling.hpp"

namespace comity::memory {

inline constexpr const char* kMpimemuMethod = "mpimemu";

// Whether a text that begins so is one.
[[nodiscard]] bool is_of_mpimemu(std::string_view text);
// Total: the most of each rank (VmHWM). Its deviations, and least and most of what MPI_Init added, are no numbers, for nobody knows them.
// Throws Status::argument, with the line, where it says what makes no sense.
[[nodiscard]] RunFigures figures_of_mpimemu(std::string_view text, std::string name);

}  // namespace comity::memory
