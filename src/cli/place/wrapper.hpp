// SPDX-License-Identifier: BSD-3-Clause
// Wrapper: a shell script between launcher and program, for what no environment can say that all ranks share: each rank's
// number of threads and their places, and its binding where the launcher knows only lists that are the same on every
// node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/place/launch_files.hpp"

namespace comity::cli {

inline constexpr std::string_view kWrapperName = "comity-rank";

enum class WrapperBinds : std::uint8_t { no, yes };

// `started[n]`: the rank that the process is which the launcher numbers n.
[[nodiscard]] std::string wrapper_text(const LaunchFormName& form, const place::Plan& plan,
                                       const std::vector<place::Rank>& started, WrapperBinds binds);

// "{0,4},{1,5}": a place for each thread of a rank, as OMP_PLACES takes it.
[[nodiscard]] std::string openmp_places(const place::Plan& plan, place::Rank rank);

}  // namespace comity::cli
