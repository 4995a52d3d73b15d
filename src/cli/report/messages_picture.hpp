// SPDX-License-Identifier: BSD-3-Clause
// The picture of who sent how much to whom: a square a rank and rank, the darker the more, by the logarithm. Not: the figures (metrics).
#pragma once

#include <string>

#include "metrics/job/job.hpp"

namespace comity::cli {

// SVG text, without scripts and fonts of its own. Throws Status::not_found where no rank exchanged anything.
[[nodiscard]] std::string messages_svg(const metrics::Job& job, const std::string& title);

}  // namespace comity::cli
