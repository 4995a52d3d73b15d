// SPDX-License-Identifier: BSD-3-Clause
// twomesh: from words and a file to a run, its line and its files.
#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/memory.hpp"
#include "app/progress.hpp"
#include "app/run.hpp"
#include "app/streams.hpp"
#include "parallel/communicator.hpp"
#include "parallel/memory.hpp"

namespace twomesh::app {
namespace {

std::vector<checks::CheckResult> run_checks(const CommandLine& words) {
  const bool all = std::find(words.checks.begin(), words.checks.end(), "all") != words.checks.end();
  std::vector<checks::CheckResult> results;
  for (const checks::Check& check : checks::all_checks()) {
    const bool asked = std::find(words.checks.begin(), words.checks.end(), check.name) != words.checks.end();
    if (all || asked)
      results.push_back(check.run(MPI_COMM_WORLD, words.threads > 0 ? words.threads : omp_get_max_threads()));
  }
  return results;
}

Result run_simulation(const CommandLine& words, const Config& config,
                      const std::optional<nlohmann::ordered_json>& expected, bool speaker) {
  const coupling::SimulationOptions options = simulation_options(words, config);
  Result result;
  result.simulated = true;
  const Progress progress(options.steps, speaker);
  result.simulation = coupling::simulate(MPI_COMM_WORLD, options, [&](int done) { progress(done); });
  result.checks = checks_of(result.simulation, options.heat);
  if (expected) result.checks.push_back(compare(result.simulation, *expected));
  return result;
}

// One line for each check that was asked for, with its numbers.
void print_checks(const Result& result) {
  for (const checks::CheckResult& check : result.checks) {
    std::printf("%-14s%s", check.name.c_str(), check.passed ? "passed" : "FAILED");
    for (const auto& [name, value] : check.numbers) std::printf("  %s %.4g", name.c_str(), value);
    std::puts("");
  }
}

int run(const CommandLine& words, bool speaker) {
  const Config config = read_config(words);
  const auto expected = read_expected(words.expect_file);
  require_files(words);
  Result result;
  if (words.checks.empty()) {
    require_memory(config, words.config_file, parallel::memory_of_nodes(MPI_COMM_WORLD));
    result = run_simulation(words, config, expected, speaker);
  } else {
    result.checks = run_checks(words);
  }
  result.mode = name_of(words.mode);
  result.ranks = parallel::size_of(MPI_COMM_WORLD);
  if (speaker) {
    if (!result.simulated) print_checks(result);
    publish(result, words);
  }
  return result.checks_passed() ? 0 : kChecksFailed;
}

int answer(int count, char** words, bool speaker) {
  std::vector<std::string_view> names;
  for (const checks::Check& check : checks::all_checks()) names.push_back(check.name);
  const Parsed parsed = parse_command_line(count, words, names);
  if (parsed.exit_status)
    return say(parsed.text, *parsed.exit_status == 0 ? stdout : stderr, *parsed.exit_status, speaker);
  return run(parsed.options, speaker);
}

}  // namespace
}  // namespace twomesh::app

int main(int count, char** words) {
  twomesh::app::hold_closed_streams();
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  const int status = twomesh::app::guarded([&](bool speaker) { return twomesh::app::answer(count, words, speaker); });
  MPI_Finalize();
  return status;
}
