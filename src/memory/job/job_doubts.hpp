// SPDX-License-Identifier: BSD-3-Clause
// Doubts: how far the figures of a job's memory can be trusted, in lines of its page. Not: the figures (job_text).
// A function gives "" where there is nothing to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "memory/job/job.hpp"

namespace comity::memory {

// Samples that cannot be, and those of which nobody knows.
[[nodiscard]] std::string error_lines(const Job& job);
// Mappings that the hooks had no place for.
[[nodiscard]] std::string unplaced_line(const Job& job);
// What components do not come to at looks at all pages, and whether it is much.
[[nodiscard]] std::string residual_lines(const Job& job);
// [bytes] What of its peak no component is known to have: at the highest look, and what the kernel's mark has above it. None: not told.
[[nodiscard]] std::optional<std::int64_t> untold_at_peak(const RankMemory& rank);
// The same of ranks' peaks, where some rank tells of it.
[[nodiscard]] bool tells_untold(const Job& job);
[[nodiscard]] std::string untold_lines(const Job& job);
// A kernel whose quick count is off.
[[nodiscard]] std::string approximate_lines(const Job& job);

}  // namespace comity::memory
