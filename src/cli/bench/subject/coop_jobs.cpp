// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/coop_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/subject/twomesh.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "coop";
constexpr std::chrono::seconds kPatience{180};
constexpr const char* kBare = "bare";
constexpr const char* kYielding = "bare_yields";

using Words = std::vector<std::string>;

enum class With : std::uint8_t { comity, nothing, as_it_decides };

// A launch of bench-coop.
struct Job {
  std::string group;
  int ranks;
  int threads;
  CpuSet cores = {};  // that it may use; none: all
  Words arguments = {};
  Words environment = {};
  Bind bind = Bind::nobody;
  Words before = {};
};

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// What stands before the launcher.
Words words_before(const Job& job, With with) {
  Words words = job.before;
  if (!job.cores.empty()) append(words, {"taskset", "-c", job.cores.to_list()});
  append(words, {"env", "OMP_NUM_THREADS=" + std::to_string(job.threads)});
  append(words, job.environment);
  if (with != With::nothing) {
    append(words, {program_beside("comity").string(), "run", "--coop", with == With::comity ? "on" : "auto", "--"});
  }
  return words;
}

Launch launch(Role role, const Job& job, const std::string& mpi, std::string key = {}) {
  Words words = words_before(job, role == Role::of_case ? With::comity : With::nothing);
  Words arguments{"--case", job.group};
  append(arguments, job.arguments);
  append(words, launch_words(kName, mpi, job.ranks, arguments, job.bind));
  return {role, [words] { return read_found(run_for_json_line(words, kPatience)); }, std::move(key)};
}

Trial trial_of(const Job& job, const std::string& mpi, std::vector<Launch> references) {
  Trial trial{mpi, job.ranks, job.threads, {launch(Role::of_case, job, mpi)}};
  for (Launch& one : references) trial.launches.push_back(std::move(one));
  return trial;
}

Job with_environment(Job job, const std::string& variable) {
  job.environment.push_back(variable);
  return job;
}

// By which the MPI yields its core where it waits; MPICH does so after every thousand looks unless told.
std::string yield_setting(const std::string& mpi) {
  return mpi == "openmpi" ? "OMPI_MCA_mpi_yield_when_idle=1" : "MPIR_CVAR_POLLS_BEFORE_YIELD=1";
}

int found_units(const std::string& name, const std::string& mpi, const Words& more) {
  Words arguments{"--case", name};
  append(arguments, more);
  const Found found = read_found(run_for_json_line(launch_words(kName, mpi, 1, arguments), kPatience));
  const FoundCase* const one = found.named(name);
  if (one == nullptr) throw Error(Status::internal, "find out " + name + ": the program told nothing of it");
  return static_cast<int>(std::lround(one->value));
}

Words units(int count) { return {"--units", std::to_string(count)}; }

}  // namespace

void find_kernel_units(CoopSetup& setup, const std::string& mpi) {
  setup.kernel_units =
      found_units("kernel_units", mpi,
                  {"--threads", std::to_string(setup.cores), "--seconds", std::to_string(setup.kernel_seconds)});
}

void find_stencil_units(CoopSetup& setup, const std::string& mpi) {
  setup.stencil_units = found_units("stencil_units", mpi, {});
}

// A rank a core, and a thread a core on the one that computes.
Trial quiesce_trial(const CoopSetup& setup, const std::string& mpi) {
  Job job{"waits", setup.cores, setup.cores};
  job.arguments = units(setup.kernel_units);
  append(job.arguments, {"--threads", std::to_string(setup.cores), "--samples", "1"});
  Job alone = job;
  alone.ranks = 1;
  return trial_of(job, mpi, {launch(Role::reference, alone, mpi), launch(Role::beside, job, mpi, kBare)});
}

Trial idle_trial(const CoopSetup& /*setup*/, const std::string& mpi) {
  Job job{"idle", 2, 1};
  job.bind = Bind::each_to_a_core;
  return trial_of(job, mpi, {launch(Role::reference, job, mpi)});
}

Trial messages_trial(const CoopSetup& /*setup*/, const std::string& mpi) {
  Job job{"messages", 2, 1};
  job.bind = Bind::each_to_a_core;
  return trial_of(job, mpi, {launch(Role::reference, job, mpi)});
}

// The reference is measured in the same processes.
Trial shared_core_trial(const CoopSetup& setup, const std::string& mpi) {
  const Job job{"oversubscribed_latency", 2, 1, setup.one_core};
  return trial_of(job, mpi,
                  {launch(Role::beside, job, mpi, kBare),
                   launch(Role::beside, with_environment(job, yield_setting(mpi)), mpi, kYielding)});
}

namespace {

// So many ranks on two cores, against two.
Trial crowd_trial(const std::string& group, int ranks, const CoopSetup& setup, const std::string& mpi) {
  const Job job{group, ranks, 1, setup.two_cores, units(setup.stencil_units)};
  Job two = job;
  two.ranks = 2;
  return trial_of(job, mpi,
                  {launch(Role::reference, two, mpi), launch(Role::beside, job, mpi, kBare),
                   launch(Role::beside, with_environment(job, yield_setting(mpi)), mpi, kYielding)});
}

}  // namespace

Trial stencil_trial(const CoopSetup& setup, const std::string& mpi) {
  return crowd_trial("oversubscribed_stencil", 4, setup, mpi);
}

Trial crowded_trial(const CoopSetup& setup, const std::string& mpi) { return crowd_trial("crowded_8", 8, setup, mpi); }

Trial hybrid_trial(const CoopSetup& setup, const std::string& mpi) {
  const Job job{"hybrid", 2, 2, setup.two_cores, units(setup.stencil_units)};
  Job wide = job;
  wide.ranks = 1;
  Job narrow = job;
  narrow.threads = 1;
  return trial_of(job, mpi,
                  {launch(Role::reference, wide, mpi), launch(Role::reference, narrow, mpi),
                   launch(Role::beside, job, mpi, kBare)});
}

namespace {

// The mini-app, in the mode that is plain MPI+OpenMP.
class Twomesh {
 public:
  Twomesh(std::string name, std::string reference, const CoopSetup& setup, std::string mpi)
      : name_(std::move(name)), reference_(std::move(reference)), mpi_(std::move(mpi)), cores_(setup.two_cores) {
    constexpr double kStepsASecond = 40.0;
    steps_ = std::max(1, static_cast<int>(kStepsASecond * setup.kernel_seconds));
  }

  // Bare it may take a hundred times as long: a few steps tell.
  [[nodiscard]] Trial trial(int ranks, int threads, const std::vector<std::pair<int, int>>& references) const {
    Trial trial{mpi_, ranks, threads, {{Role::of_case, run(ranks, threads, steps_, With::comity)}}};
    for (const auto& [some_ranks, some_threads] : references) {
      trial.launches.push_back({Role::reference, run(some_ranks, some_threads, steps_, With::nothing)});
    }
    trial.launches.push_back({Role::beside, run(ranks, threads, std::min(3, steps_), With::nothing), kBare});
    return trial;
  }

 private:
  [[nodiscard]] std::function<Found()> run(int ranks, int threads, int steps, With with) const {
    const Job job{"", ranks, threads, cores_};
    const Words arguments{"--mode", "under", "--threads", std::to_string(threads), "--steps", std::to_string(steps)};
    return [=, before = words_before(job, with), mpi = mpi_, name = name_, reference = reference_]() -> Found {
      const Measurement one = run_twomesh(before, mpi, ranks, arguments);
      return {{{name, "ns", reference, 1e9 * one.seconds / steps, std::nullopt}}, 1, one.work_done};
    };
  }

  std::string name_, reference_, mpi_;
  CpuSet cores_;
  int steps_ = 1;
};

}  // namespace

Trial twomesh_trial(const CoopSetup& setup, const std::string& mpi) {
  return Twomesh("hybrid_2x2_twomesh", "1x2 or 2x1, bare MPI, the better", setup, mpi).trial(2, 2, {{1, 2}, {2, 1}});
}

Trial crowded_twomesh_trial(const CoopSetup& setup, const std::string& mpi) {
  return Twomesh("crowded_8_twomesh", "two ranks, bare MPI", setup, mpi).trial(8, 1, {{2, 1}});
}

namespace {

// Whole launches of a packaged program: the time of each is that which its user waits.
class Packaged {
 public:
  Packaged(const PackagedProgram& program, const CoopSetup& setup, const std::string& mpi)
      : program_(program), cores_(setup.two_cores), mpi_(mpi), path_(find_packaged(program, mpi).path) {}

  [[nodiscard]] Trial trial(std::string_view name, int ranks, int threads, const std::string& reference,
                            const std::vector<std::pair<int, int>>& references) const {
    const FoundCase named{std::string(name), "ns", reference, 0.0, std::nullopt};
    const auto run = [&](int some_ranks, int some_threads, With with, int most_seconds) {
      return launch(named, some_ranks, some_threads, with, most_seconds);
    };
    Trial trial{mpi_, ranks, threads, {{Role::of_case, run(ranks, threads, With::as_it_decides, kMostSeconds)}}};
    for (const auto& [some_ranks, some_threads] : references) {
      trial.launches.push_back({Role::reference, run(some_ranks, some_threads, With::nothing, kMostSeconds)});
    }
    trial.launches.push_back({Role::beside, run(ranks, threads, With::nothing, kMostBareSeconds), kBare, 1});
    return trial;
  }

 private:
  static constexpr int kMostSeconds = 300;
  static constexpr int kMostBareSeconds = 30;  // then it is ended, and has taken these

  [[nodiscard]] std::function<Found()> launch(const FoundCase& named, int ranks, int threads, With with,
                                              int most_seconds) const {
    Job job{"", ranks, threads, cores_};
    if (mpi_ == "mpich" && !program_.mpich_setting.empty()) job.environment.emplace_back(program_.mpich_setting);
    if (!program_.threads_variable.empty()) {
      job.environment.push_back(std::string(program_.threads_variable) + "=" + std::to_string(threads));
    }
    return [&program = program_, path = path_, before = words_before(job, with), launcher = start_words(mpi_, ranks),
            named, most_seconds]() -> Found {
      std::optional<PackagedRun> run = run_packaged(program, path, before, launcher, most_seconds);
      if (!run && most_seconds == kMostSeconds) {
        throw Error(Status::system, "run " + path + ": no end after " + std::to_string(most_seconds) + " s");
      }
      Found told{{named}, 1, {}};
      told.cases.front().value = 1e9 * (run ? run->seconds : most_seconds);
      if (run) told.work = std::move(run->answer);
      return told;
    };
  }

  const PackagedProgram& program_;
  CpuSet cores_;
  std::string mpi_, path_;
};

}  // namespace

Trial packaged_hybrid_trial(const PackagedProgram& program, const CoopSetup& setup, const std::string& mpi) {
  return Packaged(program, setup, mpi)
      .trial(program.hybrid_case, 2, 2, "1x2 or 2x1, bare MPI, the better", {{1, 2}, {2, 1}});
}

Trial packaged_crowded_trial(const PackagedProgram& program, const CoopSetup& setup, const std::string& mpi) {
  return Packaged(program, setup, mpi).trial(program.crowded_case, 8, 1, "two ranks, bare MPI", {{2, 1}});
}

namespace {

Trial host_trial(const std::string& group, const CoopSetup& setup, const std::string& mpi, int ranks_a_host = 1) {
  Job job{group, 2 * ranks_a_host, 1};
  job.before = setup.hosts.words(ranks_a_host);
  return trial_of(job, mpi, {launch(Role::reference, job, mpi)});
}

}  // namespace

Trial remote_trial(const CoopSetup& setup, const std::string& mpi) { return host_trial("remote_latency", setup, mpi); }

Trial remote_wait_trial(const CoopSetup& setup, const std::string& mpi) {
  return host_trial("remote_wait", setup, mpi);
}

Trial remote_wait_of_four_trial(const CoopSetup& setup, const std::string& mpi) {
  return host_trial("remote_wait", setup, mpi, 4);
}

}  // namespace comity::cli::bench
