// SPDX-License-Identifier: BSD-3-Clause
// Launching the program of a benchmark with one MPI: bench-<name>-<mpi>, which stands beside the command or, once
// installed, in libexec/comity, started by that MPI's own launcher, which binds nobody unless told.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace comity::cli::bench {

// The MPIs that Comity can launch, whether they are here or not.
[[nodiscard]] std::vector<std::string_view> known_mpis();

// Those of known_mpis() for which this benchmark was built.
[[nodiscard]] std::vector<std::string> built_mpis(std::string_view bench);

// A program of this build: beside the command, or in libexec/comity once installed; there may be none.
[[nodiscard]] std::filesystem::path program_beside(const std::string& name);

enum class Bind : std::uint8_t { nobody, each_to_a_core };

// The words before the program and its arguments that start so many ranks.
[[nodiscard]] std::vector<std::string> start_words(const std::string& mpi, int ranks, Bind bind = Bind::nobody);

// The words that start the benchmark's program with so many ranks.
[[nodiscard]] std::vector<std::string> launch_words(std::string_view bench, const std::string& mpi, int ranks,
                                                    const std::vector<std::string>& arguments,
                                                    Bind bind = Bind::nobody);

// Runs them, and returns the one line of JSON that the program printed. Throws Status::system with what it said instead, or
// how it ended; of a job on several nodes ("nodes" in the line) the line alone counts.
[[nodiscard]] std::string run_for_json_line(const std::vector<std::string>& words, std::chrono::milliseconds timeout);

}  // namespace comity::cli::bench
