// SPDX-License-Identifier: BSD-3-Clause
// MPI: which launchers are here, of what MPI, and what in the environment stops or slows them.
#include <algorithm>
#include <array>
#include <optional>

#include "cli/doctor/checks.hpp"

namespace comity::cli {
namespace {

// Debian's names carry the MPI as suffix; elsewhere a module sets plain mpirun.
constexpr std::array<const char*, 5> kLaunchers{"mpirun", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra", "srun"};

struct Launcher {
  std::string name;
  std::string version;  // "Open MPI 4.1.4"
};

std::string word_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return {};
  const auto words = split(std::string_view(text).substr(at + label.size()), " \t\n");
  return words.empty() ? std::string() : words.front();
}

// From what `--version` prints: each MPI has its own manner.
std::string version_of(const std::string& output) {
  for (const char* label : {"(Open MPI)", "(OpenRTE)"}) {
    if (const std::string version = word_after(output, label); !version.empty()) return "Open MPI " + version;
  }
  if (output.find("Intel(R) MPI") != std::string::npos) return "Intel MPI " + word_after(output, "Version");
  if (output.find("HYDRA") != std::string::npos) return "MPICH " + word_after(output, "Version:");
  if (output.starts_with("slurm")) return "Slurm " + word_after(output, "slurm");
  return output.substr(0, output.find('\n'));
}

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
  launchers.push_back({name, version_of(end.output)});
  if (*end.exit_code == 0) return fine(id, name + ": " + launchers.back().version);
  return Finding{id, Severity::warning, name + " --version fails: " + end.output.substr(0, end.output.find('\n')),
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
  for (const char* name : kLaunchers) {
    if (auto finding = check_launcher(host, name, launchers)) found.push_back(*std::move(finding));
  }
  found.insert(found.end(), {check_any(launchers), check_root(host, launchers), check_single_copy(host)});
  return found;
}

}  // namespace comity::cli
