// SPDX-License-Identifier: BSD-3-Clause
// Sharing a node: each thing that the node segment stands on, tried.
#include <algorithm>

#include "base/options.hpp"
#include "cli/doctor/checks.hpp"

namespace comity::cli {
namespace {

constexpr std::uint64_t kLittleBytes = std::uint64_t{16} << 20U;    // a segment has a few mebibytes on a large node
constexpr std::uint64_t kMpiLikesBytes = std::uint64_t{64} << 20U;  // docker's default, where MPIs begin to fail

Finding from_probe(const std::string& id, const Probe& probe, const std::string& good, const Finding& bad) {
  const std::string reason = probe();
  if (reason.empty()) return fine(id, good);
  return {id, bad.severity, bad.what + ": " + reason, bad.why, bad.advice};
}

Finding check_memory_file(const Host& host) {
  return from_probe(
      "sharing.memory_file", host.memory_file, "memory files (memfd_create) work",
      {{},
       Severity::warning,
       "no memory file can be made",
       "The node segment is one; Comity takes a short-lived file in COMITY_NODE_DIRECTORY instead, its third way, and "
       "where that is closed too every rank is alone.",
       "Allow memfd_create in the container's seccomp profile; see vm.memfd_noexec, and the memory limit."});
}

Finding check_noexec(const Host& host) {
  const std::string level = host.read("/proc/sys/vm/memfd_noexec").value_or("0");
  return fine("sharing.memfd_noexec", "vm.memfd_noexec is " + level + "; memory files of Comity are never executable");
}

Finding check_proc_descriptor(const Host& host) {
  return from_probe(
      "sharing.proc", host.proc_descriptor, "a process opens a sibling's segment through /proc",
      {{},
       Severity::warning,
       "the segment cannot be handed over through /proc",
       "The first of three ways is closed; Comity takes the next that is open: the socket, else a file.",
       "Nothing, as long as the socket or the file works; else run all ranks of a node in one container."});
}

Finding check_unix_socket(const Host& host) {
  return from_probe("sharing.socket", host.unix_socket, "descriptors pass through a Unix socket",
                    {{},
                     Severity::warning,
                     "the segment cannot be handed over through a Unix socket",
                     "The second of three ways is closed; it is needed only where /proc is closed too.",
                     "Allow Unix sockets in the container's seccomp profile."});
}

Finding check_ofd_lock(const Host& host) {
  return from_probe("sharing.lock", host.ofd_lock, "file locks show who is alive",
                    {{},
                     Severity::error,
                     "open-file-description locks do not work",
                     "By them a rank sees that another has died; without them a wait could hang.",
                     "Use a Linux kernel; emulations of it (gVisor, old WSL) lack these locks."});
}

Finding check_futex(const Host& host) {
  return from_probe("sharing.futex", host.futex, "waits sleep on futexes",
                    {{},
                     Severity::error,
                     "futexes do not work",
                     "Resting ranks sleep on them.",
                     "Allow futex in the container's seccomp profile."});
}

std::string handover_folder(const Host& host) {
  const auto row = std::find_if(kOptionTable.begin(), kOptionTable.end(),
                                [](const OptionRow& option) { return option.name == "COMITY_NODE_DIRECTORY"; });
  return host.variable(row->name).value_or(std::string(row->fallback));
}

Finding check_folder(const Host& host) {
  const std::string folder = handover_folder(host);
  const std::string why = "The third way to hand the segment over is a short-lived file there.";
  if (!folder.starts_with('/')) {
    return {"sharing.folder", Severity::warning, "COMITY_NODE_DIRECTORY is \"" + folder + "\", no whole path", why,
            "Set it to a local folder by its whole path, or unset it."};
  }
  const auto space = host.space(folder);
  if (!space) {
    return {"sharing.folder", Severity::warning, folder + " does not exist", why,
            "Mount a tmpfs there, or set COMITY_NODE_DIRECTORY to a local folder."};
  }
  if (!host.writable(folder)) {
    return {"sharing.folder", Severity::warning, folder + " is not writable", why,
            "Mount it with mode 1777, or set COMITY_NODE_DIRECTORY to a local folder that you may write."};
  }
  if (space->free_bytes < kLittleBytes) {
    return {"sharing.folder", Severity::warning, folder + " has only " + bytes_text(space->free_bytes) + " free", why,
            "Remove what is left there (ls -l " + folder + "), or set COMITY_NODE_DIRECTORY."};
  }
  return fine("sharing.folder", folder + " is writable, " + bytes_text(space->free_bytes) + " free");
}

Finding check_shm(const Host& host) {
  const auto space = host.space("/dev/shm");
  const std::string why =
      "Open MPI, MPICH and UCX keep their own shared memory there; a full one kills ranks with a bus error.";
  if (!space) return {"sharing.shm", Severity::warning, "/dev/shm is missing", why, "Mount a tmpfs at /dev/shm."};
  const std::string size =
      "/dev/shm has " + bytes_text(space->total_bytes) + ", " + bytes_text(space->free_bytes) + " free";
  if (space->free_bytes > kMpiLikesBytes) return fine("sharing.shm", size);
  return {"sharing.shm", Severity::warning, size, why, "In a container: docker --shm-size=1g; else remount it larger."};
}

}  // namespace

Findings check_sharing(const Host& host) {
  return {check_memory_file(host), check_noexec(host),   check_proc_descriptor(host), check_unix_socket(host),
          check_folder(host),      check_ofd_lock(host), check_futex(host),           check_shm(host)};
}

}  // namespace comity::cli
