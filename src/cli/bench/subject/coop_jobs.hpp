// SPDX-License-Identifier: BSD-3-Clause
// The launches of `comity bench coop`: which ranks, threads and cores each case has, with Comity and without. Not: goals,
// rows (coop.cpp).
#pragma once

#include <string>

#include "base/cpu_set.hpp"
#include "cli/bench/measure/trials.hpp"
#include "cli/bench/subject/emulated_hosts.hpp"
#include "cli/bench/subject/packaged_programs.hpp"

namespace comity::cli::bench {

struct CoopSetup {
  int cores;
  CpuSet one_core, two_cores;  // a PU of each
  double kernel_seconds;
  int kernel_units, stencil_units;  // 0: not found out
  EmulatedHosts hosts;
};

// One launch of one rank each: how much work takes the wanted time.
void find_kernel_units(CoopSetup& setup, const std::string& mpi);
void find_stencil_units(CoopSetup& setup, const std::string& mpi);

[[nodiscard]] Trial quiesce_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial idle_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial messages_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial shared_core_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial stencil_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial crowded_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial hybrid_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial twomesh_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial crowded_twomesh_trial(const CoopSetup& setup, const std::string& mpi);
// The program stands there, or it has no trial.
[[nodiscard]] Trial packaged_hybrid_trial(const PackagedProgram& program, const CoopSetup& setup,
                                          const std::string& mpi);
[[nodiscard]] Trial packaged_crowded_trial(const PackagedProgram& program, const CoopSetup& setup,
                                           const std::string& mpi);
[[nodiscard]] Trial remote_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial remote_wait_trial(const CoopSetup& setup, const std::string& mpi);
[[nodiscard]] Trial remote_wait_of_four_trial(const CoopSetup& setup, const std::string& mpi);

}  // namespace comity::cli::bench
