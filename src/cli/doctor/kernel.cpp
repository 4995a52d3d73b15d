// SPDX-License-Identifier: BSD-3-Clause
// Kernel: its version, /proc, and the namespaces that keep processes apart.
#include <array>
#include <cstdio>
#include <sstream>

#include "cli/doctor/checks.hpp"

namespace comity::cli {
namespace {

constexpr int kLeastMajor = 4;
constexpr int kLeastMinor = 18;

Finding check_version(const Host& host) {
  const std::string release = host.read("/proc/sys/kernel/osrelease").value_or("");
  int major = 0;
  int minor = 0;
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2) {
    return {"kernel.version", Severity::note, "the kernel's version cannot be told",
            "Comity is made for Linux 4.18 and later.", "Look with uname -r."};
  }
  if (major > kLeastMajor || (major == kLeastMajor && minor >= kLeastMinor))
    return fine("kernel.version", "Linux " + release);
  return {"kernel.version", Severity::warning, "Linux " + release + " is older than 4.18",
          "Comity finds features by trying them, so it may run; nobody has tested it there.",
          "Run the tests (make test) before you trust it, or update."};
}

Finding check_proc(const Host& host) {
  if (host.read("/proc/self/status")) return fine("kernel.proc", "/proc is mounted");
  return {"kernel.proc", Severity::error, "/proc is not mounted",
          "Threads are found and bound through /proc/self/task, so no push can reach them.",
          "Mount it: mount -t proc proc /proc, or give the container a /proc."};
}

// The options of the mount at /proc; the last mount there counts.
std::string proc_mount_options(const Host& host) {
  std::istringstream lines(host.read("/proc/self/mounts").value_or(""));
  std::string options;
  for (std::string line; std::getline(lines, line);) {
    const auto words = split(line);
    if (words.size() >= 4 && words[1] == "/proc" && words[2] == "proc") options = words[3];
  }
  return options;
}

Finding check_hidepid(const Host& host) {
  for (const std::string& option : split(proc_mount_options(host), ",")) {
    if (!option.starts_with("hidepid=") || option == "hidepid=0" || option == "hidepid=off") continue;
    return {"kernel.hidepid", Severity::note, "/proc is mounted with " + option,
            "Processes of other users are invisible: fine for the ranks of one job, but `comity topo --job` and tools "
            "see yours only.",
            "Nothing, unless ranks run as different users."};
  }
  return fine("kernel.hidepid", "/proc shows all processes");
}

Finding check_boot_id(const Host& host) {
  if (host.read("/proc/sys/kernel/random/boot_id")) return fine("kernel.boot_id", "the boot id can be read");
  return {"kernel.boot_id", Severity::error, "/proc/sys/kernel/random/boot_id cannot be read",
          "By it ranks know that they share a kernel; without it two machines could be taken for one.",
          "Do not mask /proc/sys in the container."};
}

Finding check_ptrace(const Host& host) {
  const std::string scope = host.read("/proc/sys/kernel/yama/ptrace_scope").value_or("0");
  if (scope == "0") return fine("kernel.ptrace", "processes of one user may read each other's memory");
  return {
      "kernel.ptrace", Severity::note, "kernel.yama.ptrace_scope is " + scope,
      "Comity does not need more, but an MPI that copies large messages directly between processes (CMA) falls back "
      "to two copies.",
      "sysctl kernel.yama.ptrace_scope=0 on a compute node; in a container --cap-add=SYS_PTRACE."};
}

struct NamespaceRow {
  const char* kind;
  const char* initial;  // the kernel's fixed number of the first one
  const char* why;
};

constexpr std::array<NamespaceRow, 2> kNamespaces{{
    {"pid", "pid:[4026531836]",
     "Ranks in different PID namespaces cannot open each other's /proc files; Comity then takes a socket."},
    {"user", "user:[4026531837]",
     "Ranks in sibling user namespaces may not look at each other; Comity then takes a socket or a file."},
}};

Finding check_namespace(const Host& host, const NamespaceRow& row) {
  const std::string id = std::string("kernel.") + row.kind + "_namespace";
  const std::string mine = host.link(std::string("/proc/self/ns/") + row.kind).value_or("");
  const std::string name = std::string(row.kind) + " namespace";
  if (mine.empty())
    return {id, Severity::note, "the " + name + " cannot be told", row.why,
            "Nothing, if all ranks of a node run in one container."};
  if (mine == row.initial) return fine(id, "the machine's own " + name);
  return {id, Severity::note, "this is a " + name + " of its own (a container)", row.why,
          "Start all ranks of a node in one container, or see under sharing which ways are open."};
}

}  // namespace

Findings check_kernel(const Host& host) {
  Findings found{check_version(host), check_proc(host), check_hidepid(host), check_boot_id(host), check_ptrace(host)};
  for (const NamespaceRow& row : kNamespaces) found.push_back(check_namespace(host, row));
  return found;
}

}  // namespace comity::cli
