// SPDX-License-Identifier: BSD-3-Clause
// Programs that distributions have, as their users run them: where one is, what it is given, what it says. Not: what it is given in
// full (packaged_inputs), what is compared (coop_jobs). Nothing of them is built in; each is Debian 12's by its names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comity::cli::bench {

struct PackagedProgram {
  std::vector<std::string_view> programs;  // its names, one an MPI where it has several
  std::string_view package;                // Debian's
  std::string_view hybrid_case;            // of two ranks with two threads
  std::string_view crowded_case;           // of eight ranks
  std::vector<std::string_view> arguments;
  std::vector<std::string_view> before = {};  // of a run of it alone that makes its input from what is written
  std::string_view threads_variable = {};     // beside OMP_NUM_THREADS
  std::string_view mpich_setting = {};        // NAME=VALUE, of each launch with MPICH
  std::string_view answer_file = {};          // "": what it prints
  std::string_view answer;                    // the number behind the last of these words tells what it has worked out
  int digits = 8;                             // of that number, which all layouts share
  void (*write_input)(const std::string& folder);
};

[[nodiscard]] std::span<const PackagedProgram> packaged_programs();

// Null: no case of a packaged program has that name.
[[nodiscard]] const PackagedProgram* packaged_of_case(std::string_view name);

struct FoundProgram {
  std::string path;     // "": there is none
  std::string why_not;  // then
};

// The one on the PATH that calls this MPI, or that does not tell which it calls.
[[nodiscard]] FoundProgram find_packaged(const PackagedProgram& program, const std::string& mpi);

// The number behind the last of these words, of all where there are none, with so many digits; none where there is no such number.
[[nodiscard]] std::optional<std::string> read_answer(std::string_view text, std::string_view words, int digits);

struct PackagedRun {
  double seconds;  // from the launcher's start to its end
  std::string answer;
};

// Runs it in a folder of its own, which is gone afterwards, for `most_seconds` at the most: none where it has not ended by then. `before`:
// what stands before the launcher's words. Throws Status::system with what it said where it fails.
[[nodiscard]] std::optional<PackagedRun> run_packaged(const PackagedProgram& program, const std::string& path,
                                                      const std::vector<std::string>& before,
                                                      const std::vector<std::string>& launcher, int most_seconds);

}  // namespace comity::cli::bench
