// SPDX-License-Identifier: BSD-3-Clause
// A plan as launchers read it: files, and the line that starts the job with them. A pure function of the plan. Not:
// writing the files (place.cpp), nor whether a launcher did as told (verify.hpp).
// Traps that it keeps out of (docs/place.md): lists of cores that a launcher repeats on every node, defaults that bind
// two ranks to a core, names of options that have changed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "place/plan.hpp"

namespace comity::cli {

enum class LaunchForm : std::uint8_t { openmpi4, openmpi5, mpich, slurm, cray, aprun, pals };

struct LaunchFormName {
  LaunchForm form;
  std::string_view name;
  std::string_view rank_variable;  // which the launcher gives each process
  bool orders_ranks;               // the MPI orders ranks by a file; hosts are the allocation's, in its order
  bool tried;                      // with the launcher itself, by Comity's tests
};

inline constexpr std::array kLaunchForms{
    LaunchFormName{LaunchForm::openmpi4, "openmpi4", "OMPI_COMM_WORLD_RANK", false, true},
    LaunchFormName{LaunchForm::openmpi5, "openmpi5", "OMPI_COMM_WORLD_RANK", false, true},
    LaunchFormName{LaunchForm::mpich, "mpich", "PMI_RANK", false, true},
    LaunchFormName{LaunchForm::slurm, "slurm", "SLURM_PROCID", false, true},
    LaunchFormName{LaunchForm::cray, "cray", "SLURM_PROCID", true, false},
    LaunchFormName{LaunchForm::aprun, "aprun", "ALPS_APP_PE", true, false},
    LaunchFormName{LaunchForm::pals, "pals", "PALS_RANKID", true, false},
};

// Throws UsageError.
[[nodiscard]] const LaunchFormName& launch_form_named(const std::string& name);

// The ranks that the nodes take in turn where the MPI orders them: of each node with ranks those that run there, by their cores.
[[nodiscard]] std::vector<std::vector<place::Rank>> ranks_by_core(const place::Plan& plan);

struct LaunchFile {
  std::string name;
  std::string text;
  bool executable = false;
};

struct LaunchFiles {
  std::vector<LaunchFile> files;
  std::string line;                // for a shell
  std::vector<std::string> notes;  // what to know about it, a sentence each
};

// `hosts`: of each node of the plan; may be empty where the MPI orders ranks. `folder`: where the files will lie.
// `program`: with its arguments. Throws Status::unsupported where the launcher cannot start such a job.
[[nodiscard]] LaunchFiles launch_files(const LaunchFormName& form, const place::Plan& plan,
                                       const std::vector<std::string>& hosts, const std::string& folder,
                                       const std::vector<std::string>& program);

}  // namespace comity::cli
