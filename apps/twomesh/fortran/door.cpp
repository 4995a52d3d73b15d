// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/door.hpp"

#include <comity/comity.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/memory.hpp"
#include "app/progress.hpp"
#include "app/run.hpp"
#include "app/streams.hpp"
#include "coupling/heat.hpp"
#include "coupling/layout.hpp"
#include "coupling/trace.hpp"
#include "parallel/communicator.hpp"
#include "parallel/memory.hpp"

namespace twomesh::fortran {

struct Run {
  app::CommandLine words;
  std::optional<nlohmann::ordered_json> expected;
  coupling::SimulationOptions options;
  // From twomesh_begin on.
  std::unique_ptr<app::Progress> progress;
  std::unique_ptr<l0::Hydro> hydro;
  std::unique_ptr<coupling::Heat> heat;
  std::unique_ptr<coupling::Advance> gas;
  std::unique_ptr<coupling::Trace> trace;
  coupling::SimulationResult result;
  int done = 0;
};

namespace {

// Only what is the same on all ranks ends with a status here; the rest ends the job (app::guarded).
template <typename Body>
void guarded(Body&& body) {
  (void)app::guarded([&](bool speaker) {
    body(speaker);
    return 0;
  });
}

std::vector<const char*> split(const char* words, int count) {
  std::vector<const char*> each;
  for (int word = 0; word < count; ++word) {
    each.push_back(words);
    words += std::string_view(words).size() + 1;
  }
  return each;
}

// This driver knows one mode and no checks; words that ask for others are refused, not read over.
std::string refusal(const std::vector<const char*>& each, const app::CommandLine& words) {
  const bool told =
      std::any_of(each.begin(), each.end(), [](std::string_view word) { return word.starts_with("--mode"); });
  if (told && words.mode != Mode::comity)
    return "twomesh_fortran: --mode: it couples in mode comity; twomesh has the others";
  if (!words.checks.empty()) return "twomesh_fortran: --check: it has no checks of its own; twomesh has them";
  return {};
}

comity_type type_named(const std::string& resource) {
  for (const comity_type type : {COMITY_MACHINE, COMITY_PACKAGE, COMITY_L3}) {
    if (resource == comity_type_name(type)) return type;
  }
  return COMITY_NUMA;
}

int open(const std::vector<const char*>& each, bool speaker, std::unique_ptr<Run>& run) {
  const app::Parsed parsed = app::parse_command_line(static_cast<int>(each.size()), each.data(), {});
  if (parsed.exit_status)
    return app::say(parsed.text, *parsed.exit_status == 0 ? stdout : stderr, *parsed.exit_status, speaker);
  const std::string refused = refusal(each, parsed.options);
  if (!refused.empty()) return app::say(refused, stderr, app::kBadUsage, speaker);
  auto opened = std::make_unique<Run>();
  opened->words = parsed.options;
  opened->words.mode = Mode::comity;
  const app::Config config = app::read_config(opened->words);
  opened->expected = app::read_expected(opened->words.expect_file);
  app::require_files(opened->words);
  app::require_memory(config, opened->words.config_file, parallel::memory_of_nodes(MPI_COMM_WORLD));
  opened->options = app::simulation_options(opened->words, config);
  run = std::move(opened);
  return 0;
}

int end(Run& run, bool speaker) {
  coupling::conclude(run.result, *run.hydro, *run.heat, *run.trace);
  app::Result result;
  result.simulated = true;
  result.mode = name_of(run.words.mode);
  result.ranks = parallel::size_of(MPI_COMM_WORLD);
  result.simulation = std::move(run.result);
  result.checks = app::checks_of(result.simulation, run.options.heat);
  if (run.expected) result.checks.push_back(app::compare(result.simulation, *run.expected));
  run.progress.reset();
  if (speaker) app::publish(result, run.words);
  return result.checks_passed() ? 0 : app::kChecksFailed;
}

}  // namespace
}  // namespace twomesh::fortran

using twomesh::coupling::Mark;
using twomesh::fortran::guarded;
using twomesh::fortran::Run;

void twomesh_hold_streams() { twomesh::app::hold_closed_streams(); }

Run* twomesh_open(const char* words, int count, int* status) {
  std::unique_ptr<Run> run;
  *status = twomesh::app::guarded(
      [&](bool speaker) { return twomesh::fortran::open(twomesh::fortran::split(words, count), speaker, run); });
  return run.release();
}

void twomesh_layout(const Run* run, int* type, int* per, int* threads, int* steps) {
  *type = twomesh::fortran::type_named(run->options.layout.resource);
  *per = run->options.layout.per;
  *threads = run->options.layout.threads;
  *steps = run->options.steps;
}

void twomesh_begin(Run* run, const int* ranks, int count) {
  guarded([&](bool speaker) {
    const auto& options = run->options;
    run->progress = std::make_unique<twomesh::app::Progress>(options.steps, speaker);
    run->hydro = std::make_unique<twomesh::l0::Hydro>(MPI_COMM_WORLD, options.hydro, options.initial);
    run->heat = std::make_unique<twomesh::coupling::Heat>(MPI_COMM_WORLD, options.heat, *run->hydro,
                                                          std::vector<int>(ranks, ranks + count));
    run->gas = twomesh::coupling::make_advance(MPI_COMM_WORLD, options.advance, options.layout, *run->hydro);
    run->result.totals_before = run->hydro->totals();
    run->trace = std::make_unique<twomesh::coupling::Trace>(MPI_COMM_WORLD, options.timeline);
  });
}

double twomesh_gas(Run* run) {
  double dt = 0.0;
  guarded([&](bool) {
    run->trace->begin_step();
    dt = run->gas->advance(*run->hydro, *run->trace);
    run->trace->mark(Mark::l0_done);
    run->result.simulated_time += dt;
  });
  return dt;
}

void twomesh_gather(Run* run) {
  guarded([&](bool) {
    run->heat->gather(*run->hydro);
    run->trace->mark(Mark::gathered);
  });
}

void twomesh_solve(Run* run, double dt, int team) {
  guarded([&](bool) {
    run->trace->begin_wide(team);
    run->heat->solve(dt, team);
    run->trace->end_wide(team);
  });
}

void twomesh_scatter(Run* run) {
  guarded([&](bool) {
    run->trace->mark(Mark::resumed);
    run->heat->scatter(*run->hydro);
    run->trace->mark(Mark::scattered);
    (*run->progress)(++run->done);
  });
}

int twomesh_end(Run* run) {
  const std::unique_ptr<Run> owned(run);
  return twomesh::app::guarded([&](bool speaker) {
    const int status = twomesh::fortran::end(*owned, speaker);
    if (speaker) twomesh::app::require_printed();
    return status;
  });
}

int twomesh_refuse(Run* run) {
  const std::unique_ptr<Run> owned(run);
  return twomesh::app::guarded(
      [&](bool) -> int { throw twomesh::coupling::missing_resource(owned->options.layout.resource); });
}
