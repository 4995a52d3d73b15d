// SPDX-License-Identifier: BSD-3-Clause
// The picture of runs' memory over their numbers of ranks: a panel an MPI, a line a program and figure. Not: how lines are drawn (chart).
#pragma once

#include <string>

#include "memory/job/by_count.hpp"

namespace comity::cli {

// SVG text; no differences, for its axes are logarithmic.
[[nodiscard]] std::string runs_svg(const memory::CountTable& table);
// Writes it; throws Status::system with the path where that fails.
void write_runs_picture(const memory::CountTable& table, const std::string& path);

}  // namespace comity::cli
