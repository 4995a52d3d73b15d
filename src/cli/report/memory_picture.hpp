// SPDX-License-Identifier: BSD-3-Clause
// The memory of a job's ranks over time as a picture: each rank's above, the sum of all below; MPI's on the left, all on
// the right.
#pragma once

#include <string>

#include "memory/job/timelines.hpp"

namespace comity::cli {

inline constexpr const char* kResidentMeaning = "all is what is resident, of which shared pages count in each rank";

// `meaning`: of the figures, below the title. Throws Status::not_found where no rank has samples of its memory.
[[nodiscard]] std::string memory_svg(const memory::Timelines& timelines, const std::string& title,
                                     const std::string& meaning = kResidentMeaning);

}  // namespace comity::cli
