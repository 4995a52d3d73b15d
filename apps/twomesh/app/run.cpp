// SPDX-License-Identifier: BSD-3-Clause
#include "app/run.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <new>

#include "app/files.hpp"
#include "app/streams.hpp"
#include "coupling/layout.hpp"
#include "parallel/communicator.hpp"

namespace twomesh::app {

Config read_config(const CommandLine& words) {
  if (words.config_file.empty()) return {};
  return parse_config(read_for_all(MPI_COMM_WORLD, words.config_file), words.config_file);
}

// Same on all ranks, so all throw or none.
std::optional<nlohmann::ordered_json> read_expected(const std::string& path) {
  if (path.empty()) return std::nullopt;
  auto sums = sums_in(read_for_all(MPI_COMM_WORLD, path));
  if (!sums) throw FileError(path + ": no result of a twomesh simulation (written by --json)");
  return sums;
}

void require_files(const CommandLine& words) {
  require_two_files(MPI_COMM_WORLD, words.json_file, words.timeline_file);
  for (const std::string& result : {words.json_file, words.timeline_file}) {
    for (const std::string& read : {words.config_file, words.expect_file}) require_kept(MPI_COMM_WORLD, result, read);
  }
  require_writable(MPI_COMM_WORLD, words.json_file);
  require_writable(MPI_COMM_WORLD, words.timeline_file);
}

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

// The line first: where a disk is full it is all that is left of a long run.
void publish(const Result& result, const CommandLine& words) {
  std::puts(one_line(result).c_str());
  std::fflush(stdout);
  if (!words.json_file.empty()) write_file(words.json_file, to_json(result).dump(2) + '\n');
  if (!words.timeline_file.empty())
    write_file(words.timeline_file, timeline_json(result.simulation.spans).dump() + '\n');
}

int say(const std::string& text, std::FILE* where, int status, bool speaker) {
  if (speaker) std::fprintf(where, "%s\n", text.c_str());
  return status;
}

// Bad usage is seen by all ranks alike, which end together, and so they do where only the result is lost; any other failure
// may be one rank's, so it ends the job.
int guarded(const std::function<int(bool speaker)>& body) {
  const int rank = parallel::rank_in(MPI_COMM_WORLD);
  const auto complain = [&](const std::exception& error, int status) {
    return say(std::string("twomesh: ") + error.what(), stderr, status, rank == 0);
  };
  try {
    const int status = body(rank == 0);
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

}  // namespace twomesh::app
