// SPDX-License-Identifier: BSD-3-Clause
// MPI: which launchers are here, of what MPI, and what in the environment stops or slows them.
#include <algorithm>
#include <optional>

#include "cli/common/launcher_version.hpp"
#include "cli/doctor/checks.hpp"

namespace comity::cli {
namespace {

struct Launcher {
  std::string name;
  std::string version;  // "Open MPI 4.1.4"
};

bool is_open_mpi(const Launcher& launcher) { return launcher.version.starts_with("Open MPI"); }

// None: no such launcher is here.
std::optional<Finding> check_launcher(const Host& host, const std::string& name, std::vector<Launcher>& launchers) {
  const os::CommandEnd end = host.run({name, "--version"});
  const std::string id = "mpi." + name;
  if (end.timed_out) {
    return Finding{id, Severity::warning, name + " --version does not end",
                   "A launcher that hangs here will hang with ranks too.",
                   "Check its installation, and that its file system answers."};
  }
  if (!end.exit_code) return std::nullopt;
  launchers.push_back({name, launcher_version(end.output)});
  if (*end.exit_code == 0) return fine(id, name + ": " + launchers.back().version);
  const std::string said = end.output.empty() ? "exit code " + std::to_string(*end.exit_code) : end.output;
  return Finding{id, Severity::warning, name + " --version fails: " + said.substr(0, said.find('\n')),
                 "Runs will not start with it.", "Check its installation and LD_LIBRARY_PATH."};
}

Finding check_any(const std::vector<Launcher>& launchers) {
  if (!launchers.empty()) return fine("mpi.launcher", count_text(launchers.size(), "launcher") + " on the PATH");
  return {"mpi.launcher", Severity::warning, "no MPI launcher is on the PATH",
          "MPI programs cannot be started from here.",
          "Load your site's MPI module, or install one: apt install openmpi-bin, apt install mpich."};
}

Finding check_root(const Host& host, const std::vector<Launcher>& launchers) {
  const bool matters = host.is_root && std::any_of(launchers.begin(), launchers.end(), is_open_mpi);
  if (!matters) return fine("mpi.root", host.is_root ? "no Open MPI here that would refuse root" : "not root");
  if (host.variable("OMPI_ALLOW_RUN_AS_ROOT") == "1" && host.variable("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1") {
    return fine("mpi.root", "Open MPI is told that it may run as root");
  }
  return {"mpi.root", Severity::warning, "you are root, and Open MPI refuses to run as root",
          "mpirun stops before any rank starts.",
          "Work as another user; in a container set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1."};
}

Finding check_single_copy(const Host& host) {
  constexpr const char* kVariable = "OMPI_MCA_btl_vader_single_copy_mechanism";
  if (host.variable(kVariable).value_or("") != "none")
    return fine("mpi.single_copy", "Open MPI may copy directly between ranks");
  return {"mpi.single_copy", Severity::warning, std::string(kVariable) + "=none is set",
          "It silences a warning in containers, and breaks MPI windows: most one-sided communication fails.",
          std::string("Unset ") + kVariable + "; allow ptrace in the container instead (--cap-add=SYS_PTRACE)."};
}

}  // namespace

Findings check_mpi(const Host& host) {
  Findings found;
  std::vector<Launcher> launchers;
  for (const std::string_view name : kLauncherNames) {
    if (auto finding = check_launcher(host, std::string(name), launchers)) found.push_back(*std::move(finding));
  }
  found.insert(found.end(), {check_any(launchers), check_root(host, launchers), check_single_copy(host)});
  return found;
}

}  // namespace comity::cli
