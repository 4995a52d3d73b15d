// SPDX-License-Identifier: BSD-3-Clause
// Plan: what `comity run` starts, decided from its words and the machine. Not: starting it. Invariant: only ranks get the
// preloaded library, never their launcher.
#pragma once

#include <string>
#include <vector>

#include "cli/run/coop.hpp"
#include "cli/run/surroundings.hpp"

namespace comity::cli::launch {

struct Request {
  std::vector<std::string> command;  // behind the "--"; never empty
  int ranks = 0;                     // 0: not said
  std::string launcher;              // "": not said
  std::string mpi;                   // "": not said
  std::vector<Variable> settings;    // of Comity, for the ranks
  bool memory = false;               // libcomity_memory too is preloaded
  std::string coop;                  // off, auto, on; "": not said, which leaves it to the ranks' variable, or auto
};

struct Plan {
  std::vector<std::string> words;
  std::vector<Variable> variables;  // what the ranks get; in `words`, where there is a launcher
  std::string launcher;             // "Open MPI 4.1.4"; "": none, the program itself is started
  std::string mpi;                  // "": nothing is preloaded
  std::vector<std::string> notes;   // for the user, a sentence each
  CoopPlan coop;
  bool calls_back = false;  // the MPI does, from its own waits; MPICH not with MPI_THREAD_MULTIPLE
};

// Throws UsageError, and Error where something is not here.
[[nodiscard]] Plan make_plan(const Request& request, const Surroundings& here);

}  // namespace comity::cli::launch
