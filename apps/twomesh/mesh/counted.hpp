// SPDX-License-Identifier: BSD-3-Clause
// An error as a check counts it: one that is not a number is the worst there is, and no maximum drops it.
#pragma once

#include <cmath>
#include <limits>

namespace twomesh {

[[nodiscard]] inline double counted(double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace twomesh
