// SPDX-License-Identifier: BSD-3-Clause
// twomesh: from words and a file to a run, its line and its files.
#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

#include "app/command_line.hpp"
#include "app/config.hpp"
#include "app/files.hpp"
#include "app/memory.hpp"
#include "app/progress.hpp"
#include "app/result.hpp"
#include "app/streams.hpp"
#include "coupling/layout.hpp"
#include "parallel/communicator.hpp"
#include "parallel/memory.hpp"

namespace twomesh::app {
namespace {

constexpr int kChecksFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kBrokeOff = 3;

coupling::SimulationOptions simulation_options(const CommandLine& words, const Config& config) {
  coupling::SimulationOptions options;
  options.steps = words.steps.value_or(config.steps);
  options.hydro.grid = {config.l0_cells[0], config.l0_cells[1]};
  options.hydro.block_nx = config.l0_block[0];
  options.hydro.block_ny = config.l0_block[1];
  options.hydro.courant = config.courant;
  options.initial = l0::problem(config.problem);
  options.heat.grid = {config.l1_cells[0], config.l1_cells[1]};
  options.heat.strip_rows = config.strip_rows;
  options.heat.material = {config.conductivity, config.mixing};
  options.heat.solver = {config.tolerance, config.max_iterations, config.hash_iterates};
  options.heat.back = config.back == "all" ? coupling::Return::all : coupling::Return::energy;
  options.layout = {words.mode, words.threads, config.resource, config.per, config.narrow_per};
  options.advance = {config.substeps, config.narrow_substeps};
  options.timeline = words.timeline_file.empty() ? coupling::Timeline::off : coupling::Timeline::on;
  return options;
}

// Same on all ranks, so all throw or none.
std::optional<nlohmann::ordered_json> read_expected(const std::string& path) {
  if (path.empty()) return std::nullopt;
  auto sums = sums_in(read_for_all(MPI_COMM_WORLD, path));
  if (!sums) throw FileError(path + ": no result of a twomesh simulation (written by --json)");
  return sums;
}

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

// The line first: where a disk is full it is all that is left of a long run.
void publish(const Result& result, const CommandLine& words) {
  std::puts(one_line(result).c_str());
  std::fflush(stdout);
  if (!words.json_file.empty()) write_file(words.json_file, to_json(result).dump(2) + '\n');
  if (!words.timeline_file.empty())
    write_file(words.timeline_file, timeline_json(result.simulation.spans).dump() + '\n');
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
  const Config config = words.config_file.empty()
                            ? Config{}
                            : parse_config(read_for_all(MPI_COMM_WORLD, words.config_file), words.config_file);
  const auto expected = read_expected(words.expect_file);
  require_two_files(MPI_COMM_WORLD, words.json_file, words.timeline_file);
  for (const std::string& result : {words.json_file, words.timeline_file}) {
    for (const std::string& read : {words.config_file, words.expect_file}) require_kept(MPI_COMM_WORLD, result, read);
  }
  require_writable(MPI_COMM_WORLD, words.json_file);
  require_writable(MPI_COMM_WORLD, words.timeline_file);
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

int say(const std::string& text, std::FILE* where, int status, bool speaker) {
  if (speaker) std::fprintf(where, "%s\n", text.c_str());
  return status;
}

int answer(int count, char** words, bool speaker) {
  std::vector<std::string_view> names;
  for (const checks::Check& check : checks::all_checks()) names.push_back(check.name);
  const Parsed parsed = parse_command_line(count, words, names);
  if (parsed.exit_status)
    return say(parsed.text, *parsed.exit_status == 0 ? stdout : stderr, *parsed.exit_status, speaker);
  return run(parsed.options, speaker);
}

// Bad usage is seen by all ranks alike, which end together, and so they do where only the result is lost; any other failure
// may be one rank's, so it ends the job.
int guarded(int count, char** words) {
  const int rank = parallel::rank_in(MPI_COMM_WORLD);
  const auto complain = [&](const std::exception& error, int status) {
    return say(std::string("twomesh: ") + error.what(), stderr, status, rank == 0);
  };
  try {
    const int status = answer(count, words, rank == 0);
    if (rank == 0) require_printed();
    return status;
  } catch (const ConfigError& error) {
    return complain(error, kBadUsage);
  } catch (const FileError& error) {
    return complain(error, kBadUsage);
  } catch (const coupling::LayoutError& error) {
    return complain(error, kBadUsage);
  } catch (const LostResult& error) {
    return complain(error, kBrokeOff);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "twomesh: rank %d: out of memory: the meshes do not fit; choose coarser ones\n", rank);
    MPI_Abort(MPI_COMM_WORLD, kBrokeOff);
    return kBrokeOff;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "twomesh: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, kBrokeOff);
    return kBrokeOff;
  }
}

}  // namespace
}  // namespace twomesh::app

int main(int count, char** words) {
  twomesh::app::hold_closed_streams();
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  const int status = twomesh::app::guarded(count, words);
  MPI_Finalize();
  return status;
}
