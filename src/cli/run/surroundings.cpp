// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/surroundings.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "cli/common/program_mpi.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"

namespace comity::cli::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kCommandTimeout{10'000};  // for `mpirun --version` on a slow shared file system

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Seen from the command, so that both can be moved: in the build, and once installed.
std::vector<std::string> library_folders() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<std::string> folders;
  for (const char* const from_here : {COMITY_LIBRARIES_FROM_BIN, "../lib"}) {
    const std::string found = (folder / from_here).lexically_normal().string();
    if (folders.empty() || folders.front() != found) folders.push_back(found);
  }
  return folders;
}

}  // namespace

Surroundings this_machine() {
  return {.variable = os::environment,
          .run = [](const std::vector<std::string>& words) { return os::run_command(words, kCommandTimeout); },
          .is_executable = [](const std::string& path) { return is_file(path) && ::access(path.c_str(), X_OK) == 0; },
          .is_file = is_file,
          .read_program = read_program,
          .cores = os::affinity(0).count(),
          .library_folders = library_folders()};
}

std::string place_of(const Surroundings& here, const std::string& program) {
  return place_of_program(program, here.variable("PATH").value_or(""), here.is_executable);
}

}  // namespace comity::cli::launch
