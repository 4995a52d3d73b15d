// SPDX-License-Identifier: BSD-3-Clause
// The mini-app twomesh as a benchmark launches it: where it stands, and what one launch gave. Not: what is compared.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/measure/comparison.hpp"

namespace comity::cli::bench {

// Whether it stands beside the command: it is not installed.
[[nodiscard]] bool has_twomesh(const std::string& mpi);

// `before`: words before the launcher's. Throws Status::system with what it said where it fails.
[[nodiscard]] Measurement run_twomesh(const std::vector<std::string>& before, const std::string& mpi, int ranks,
                                      const std::vector<std::string>& arguments);

}  // namespace comity::cli::bench
