// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/verify.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.hpp"
#include "base/shell.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/launcher_version.hpp"
#include "cli/common/program_mpi.hpp"
#include "cli/doctor/host.hpp"
#include "cli/place/in_place/behind.hpp"
#include "cli/place/wrapper.hpp"
#include "cli/run/launch_line.hpp"
#include "os/process/command.hpp"
#include "os/threads/openmp.hpp"

namespace comity::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostOutputBytes = std::size_t{256} << 20U;
constexpr std::size_t kTailBytes = 2000;
constexpr const char* kNextPart = ":";
constexpr const char* kDefaultRuntime = "libgomp.so.1";

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// "\tlibgomp.so.1 => /lib/libgomp.so.1 (0x..)": the file, where the loader has one.
std::string runtime_among(const std::string& ldd) {
  for (const std::string& line : split(ldd, "\n")) {
    const Words words = split(line);
    if (words.empty() || !os::OpenMp::is_runtime(file_name(words.front()))) continue;
    return words.size() > 2 && words[2].starts_with('/') ? words[2] : words.front();
  }
  return std::string(kNoRuntime);
}

std::string runtime_of(const std::string& program, bool openmp, const launch::Surroundings& here) {
  const std::string path = launch::place_of(here, program);
  const os::CommandEnd end = path.empty() ? os::CommandEnd{} : here.run({"ldd", path});
  if (end.exit_code == 0) return runtime_among(end.output);
  return openmp ? kDefaultRuntime : std::string(kNoRuntime);  // on other hosts alone, or a script
}

Words probe_words(const std::string& probe, const std::string& runtime) {
  return {probe, "place", std::string(kProbeWord), runtime};
}

// In another folder a path means another file, and a program may be on other hosts alone: for those there is {}.
void require_program(const std::string& program, const launch::Part& part, const std::string& option,
                     const launch::Surroundings& here) {
  const auto changes_folder = [](const std::string& word) {
    constexpr std::array kNames{"-wdir", "--wdir", "-wd", "--wd", "-D", "--chdir"};
    return std::ranges::find(kNames, word.substr(0, word.find('='))) != kNames.end();
  };
  const std::string path = launch::place_of(here, program);
  if (path.empty() && std::none_of(part.options.begin(), part.options.end(), changes_folder)) {
    throw Error(Status::not_found, option + ": there is no program " + program +
                                       " here; correct the launch line, or write {} where one stands that only other "
                                       "hosts have");
  }
  if (!path.empty() && is_script(path)) {
    throw UsageError(option + " cannot tell what " + program +
                     " starts, and where: it is a script; write {} where the program stands");
  }
}

// Any program may be a wrapper that nobody has told of, but for those that call MPI themselves.
void require_no_program_behind(const Words& words, std::size_t own, const std::string& option,
                               const launch::Surroundings& here) {
  const std::string path = launch::place_of(here, words[own]);
  if (path.empty() || !mpi_library(here.read_program(path)).empty()) return;
  const auto behind =
      std::find_if(words.begin() + static_cast<std::ptrdiff_t>(own) + 1, words.end(),
                   [&](const std::string& word) { return !word.empty() && !launch::place_of(here, word).empty(); });
  if (behind == words.end()) return;
  throw UsageError(option + " cannot tell whether " + words[own] + " is the program or starts " + *behind +
                   "; write {} where the program stands");
}

Words with_other_words(const launch::Part& part, const std::string& launcher, const InPlace& in_place,
                       const launch::Surroundings& here) {
  const Words& program = part.program;
  const std::size_t own = program_behind_wrappers(program, in_place.option);
  if (own >= program.size() || file_name(program[own]) == kWrapperName) {
    throw UsageError("the launch line names no program; write it as you would start it");
  }
  require_program(program[own], part, in_place.option, here);
  require_no_program_behind(program, own, in_place.option, here);
  Words words(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(own));
  const Words other = in_place.words(launcher, program[own]);
  words.insert(words.end(), other.begin(), other.end());
  return words;
}

// Other words in each hole. What stands behind it in the same part of the line is the program's and goes with it; each ":" begins another
// part, with a program of its own.
Words with_holes_filled(const Words& line, const Words& other, const std::string& option) {
  Words words;
  for (auto from = line.begin();;) {
    const auto to = std::find(from, line.end(), kNextPart), hole = std::find(from, to, kProgramHere);
    if (hole == to) {
      throw UsageError("part " + std::to_string(1 + std::count(line.begin(), from, kNextPart)) +
                       " of the launch line has no {}, but another has; write it where each program stands, so that " +
                       option + " runs in place of all");
    }
    words.insert(words.end(), from, hole);
    words.insert(words.end(), other.begin(), other.end());
    if (to == line.end()) return words;
    words.push_back(*to);
    from = to + 1;
  }
}

launch::Family family_of_launcher(const std::string& word, const std::string& option,
                                  const launch::Surroundings& here) {
  const os::CommandEnd end = here.run({word, "--version"});
  const auto family = end.exit_code ? launch::family_of(launcher_version(end.output)) : std::nullopt;
  if (family) return *family;
  throw UsageError(option + " cannot find the program in a line of " + word +
                   (end.exit_code ? ", which is none of Open MPI, MPICH and Slurm" : ", which cannot be started") +
                   "; write {} where the program stands");
}

bool is_variable(const std::string& word) {
  const std::size_t sign = word.find('=');
  return sign != std::string::npos && sign > 0 && word.front() != '-' && word.find_first_of("/ ") > sign;
}

}  // namespace

Words line_with(const InPlace& in_place, const Words& line, const launch::Surroundings& here) {
  const bool has_env = line.size() > 1 && file_name(line.front()) == "env" && !line[1].starts_with('-');
  const auto first = line.begin() + (has_env ? 1 : 0);
  const auto launcher = std::find_if_not(first, line.end(), is_variable);
  if (launcher == line.end()) {
    throw UsageError(in_place.option + " needs the launch line behind --, as in -- mpirun -n 4 ./app");
  }
  Words words(first, launcher);
  if (!words.empty()) words.insert(words.begin(), "env");
  Words rest(launcher, line.end());
  if (std::ranges::find(rest, kProgramHere) != rest.end()) {
    const Words filled = with_holes_filled(rest, in_place.words(*launcher, ""), in_place.option);
    words.insert(words.end(), filled.begin(), filled.end());
    return words;
  }
  const launch::IsProgram is_program = [&](const std::string& word) { return !launch::place_of(here, word).empty(); };
  launch::LaunchLine taken =
      launch::take_apart(family_of_launcher(rest.front(), in_place.option, here), rest, is_program);
  for (launch::Part& part : taken.parts) part.program = with_other_words(part, *launcher, in_place, here);
  const Words put = launch::put_together(taken);
  words.insert(words.end(), put.begin(), put.end());
  return words;
}

Words line_with_probe(const Words& line, const std::string& probe, bool openmp, const launch::Surroundings& here) {
  const auto words = [&](const std::string& /*launcher*/, const std::string& program) {
    if (!program.empty()) return probe_words(probe, runtime_of(program, openmp, here));
    return probe_words(probe, openmp ? kDefaultRuntime : std::string(kNoRuntime));
  };
  return line_with({"--verify", words}, line, here);
}

Probed run_line_with_probe(const Words& words) {
  const os::CommandEnd end = os::run_command(words, kLongestVerification, kMostOutputBytes);
  Probed probed{read_probe_lines(end.output), {}};
  if (end.timed_out) {
    probed.ending = "the launch line did not end within " + std::to_string(kLongestVerification.count()) + " s";
  } else if (end.exit_code != 0) {
    probed.ending =
        "the launch line ended with " + (end.exit_code ? "exit code " + std::to_string(*end.exit_code)
                                                       : std::string("nothing, for it could not be started"));
  }
  if (!probed.threads.empty()) return probed;
  const std::size_t tail = end.output.size() > kTailBytes ? end.output.size() - kTailBytes : 0;
  throw Error(Status::system, "run `" + shell_line(words) +
                                  "`: " + (probed.ending.empty() ? "no rank told where it is" : probed.ending) +
                                  "; run the line by hand. It said:\n" + end.output.substr(tail));
}

}  // namespace comity::cli
