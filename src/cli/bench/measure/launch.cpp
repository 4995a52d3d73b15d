// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/launch.hpp"

#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "os/process/command.hpp"

namespace comity::cli::bench {
namespace {

struct Launcher {
  std::string_view mpi;
  std::string_view bind_option;   // takes "none", for Comity binds, or "core"
  std::string_view root_option;   // what it wants to hear from root; "" for nothing
  std::string_view crowd_option;  // what it wants to hear of more ranks than cores; "" for nothing
  std::string_view built_with;    // the launcher that the build found; "" for none
};

constexpr std::array kLaunchers{
    Launcher{"openmpi", "--bind-to", "--allow-run-as-root", "--oversubscribe", COMITY_LAUNCHER_OPENMPI},
    Launcher{"mpich", "-bind-to", "", "", COMITY_LAUNCHER_MPICH},
};

const Launcher& launcher_of(std::string_view mpi) {
  for (const Launcher& launcher : kLaunchers) {
    if (launcher.mpi == mpi) return launcher;
  }
  throw Error(Status::argument, "launch with " + std::string(mpi) + ": no such MPI is known");
}

// The one of the build, for the program was linked for it; on a machine that has it elsewhere, Debian's name for it.
std::string start_program(const Launcher& launcher) {
  if (std::filesystem::exists(launcher.built_with)) return std::string(launcher.built_with);
  return "mpirun." + std::string(launcher.mpi);
}

std::filesystem::path program(std::string_view bench, std::string_view mpi) {
  return program_beside("bench-" + std::string(bench) + '-' + std::string(mpi));
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// The last lines are the ones that say why.
std::string tail_of(const std::string& output) {
  constexpr std::size_t kMostBytes = 2000;
  return output.size() <= kMostBytes ? output : ".." + output.substr(output.size() - kMostBytes);
}

// The whole line of JSON; "" where there is none.
std::string line_in(const std::string& output) {
  const std::size_t start = output.find("{\"case\"");
  const std::size_t stop = output.find('\n', start);
  if (start == std::string::npos || stop == std::string::npos) return {};
  return output.substr(start, stop - start);
}

// Their end tells nothing: MPICH 4.0 may hang there, in MPI_Finalize, with all results out.
bool is_of_several_nodes(const std::string& line) {
  const auto found = nlohmann::json::parse(line, nullptr, false);
  return found.is_object() && found.value("nodes", 1) > 1;
}

}  // namespace

std::vector<std::string_view> known_mpis() {
  std::vector<std::string_view> names;
  names.reserve(kLaunchers.size());
  for (const Launcher& launcher : kLaunchers) names.push_back(launcher.mpi);
  return names;
}

std::vector<std::string> built_mpis(std::string_view bench) {
  std::vector<std::string> names;
  for (const Launcher& launcher : kLaunchers) {
    if (std::filesystem::exists(program(bench, launcher.mpi))) names.emplace_back(launcher.mpi);
  }
  return names;
}

// Seen from the command, so that both can be moved.
std::filesystem::path program_beside(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::filesystem::path beside = folder / name;
  if (std::filesystem::exists(beside)) return beside;
  return (folder / COMITY_LIBEXEC_FROM_BIN / name).lexically_normal();
}

std::vector<std::string> start_words(const std::string& mpi, int ranks, Bind bind) {
  const Launcher& launcher = launcher_of(mpi);
  std::vector<std::string> words{start_program(launcher), "-n", std::to_string(ranks),
                                 std::string(launcher.bind_option), bind == Bind::nobody ? "none" : "core"};
  if (::geteuid() == 0 && !launcher.root_option.empty()) words.emplace_back(launcher.root_option);
  if (!launcher.crowd_option.empty()) words.emplace_back(launcher.crowd_option);
  return words;
}

std::vector<std::string> launch_words(std::string_view bench, const std::string& mpi, int ranks,
                                      const std::vector<std::string>& arguments, Bind bind) {
  std::vector<std::string> words = start_words(mpi, ranks, bind);
  words.push_back(program(bench, mpi).string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::string run_for_json_line(const std::vector<std::string>& words, std::chrono::milliseconds timeout) {
  const os::CommandEnd end = os::run_command(words, timeout);
  std::string line = line_in(end.output);
  if (!line.empty() && (end.exit_code == 0 || is_of_several_nodes(line))) return line;
  std::string why = end.exit_code ? "exit code " + std::to_string(*end.exit_code) : "it could not be started";
  if (end.timed_out) why = "no end after " + std::to_string(timeout.count() / 1000) + " s";
  throw Error(Status::system,
              "run `" + joined(words) + "`: " + why + "; run it by hand. It said:\n" + tail_of(end.output));
}

}  // namespace comity::cli::bench
