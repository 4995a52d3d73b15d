// SPDX-License-Identifier: BSD-3-Clause
// The part of a job's text that tells of OpenMP: by region of the program, and by place of a parallel region. Not: the rest (text).
#pragma once

#include <string>

#include "metrics/job/job.hpp"

namespace comity::metrics {

// "" where no rank has a runtime of OpenMP.
[[nodiscard]] std::string openmp_text_of(const Job& job);

}  // namespace comity::metrics
