// SPDX-License-Identifier: BSD-3-Clause
// Rankfile: a plan as Open MPI reads it: of each rank the host and the cores. 4 and 5 read the same words in two ways, so each
// gets its own. Not: the line that starts the job with it (launch_files.hpp).
// Source: rmaps_rank_file.c and hwloc_base_util.c of Open MPI 4.1.4, and of PRRTE 3.0.2 to 3.0.14 (Open MPI 5.0.0 to 5.0.11).
#pragma once

#include <string>
#include <vector>

#include "place/plan.hpp"

namespace comity::cli {

struct Rankfile {
  std::string text;
  bool binds = true;  // false: it says the hosts alone, for there is a list of cores that the launcher would cut off
};

// `hosts`: of each node of the plan.
[[nodiscard]] Rankfile openmpi4_rankfile(const place::Plan& plan, const std::vector<std::string>& hosts);
[[nodiscard]] Rankfile openmpi5_rankfile(const place::Plan& plan, const std::vector<std::string>& hosts);

// Whether nodes with ranks have other CPUs behind the same numbers. Open MPI 5 asks one node for its cores, and takes all nodes that have
// as many objects of each kind to be like it.
[[nodiscard]] bool numbers_differ_between_nodes(const place::Plan& plan);

}  // namespace comity::cli
