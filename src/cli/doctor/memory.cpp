// SPDX-License-Identifier: BSD-3-Clause
// Memory and other limits that ranks inherit from this shell.
#include <charconv>
#include <limits>
#include <sstream>

#include "cli/doctor/cgroup.hpp"
#include "cli/doctor/checks.hpp"

namespace comity::cli {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kLittleMemoryBytes = std::uint64_t{256} << 20U;
constexpr std::uint64_t kFewFiles = 1024;
constexpr std::uint64_t kLittleLockedBytes = std::uint64_t{1} << 20U;  // old kernels gave 64 KiB

// The soft limit in the line of /proc/self/limits that starts with `name`.
std::optional<std::uint64_t> limit(const Host& host, const std::string& name) {
  std::istringstream lines(host.read("/proc/self/limits").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const auto words = split(std::string_view(line).substr(name.size()));
    if (words.empty()) return std::nullopt;
    if (words.front() == "unlimited") return kUnlimited;
    std::uint64_t value = 0;
    std::from_chars(words.front().data(), words.front().data() + words.front().size(), value);
    return value;
  }
  return std::nullopt;
}

Finding check_cgroup_memory(const CgroupLimits& limits) {
  if (!limits.memory_bytes) return fine("memory.cgroup", "no cgroup limits memory");
  const std::string what = "the cgroup gives " + bytes_text(*limits.memory_bytes) + " of memory";
  if (*limits.memory_bytes >= kLittleMemoryBytes) return fine("memory.cgroup", what);
  return {"memory.cgroup", Severity::warning, what, "Shared memory counts too; at the limit the kernel kills a rank.",
          "Raise the limit (docker --memory, the batch system's memory request)."};
}

Finding check_locked(const Host& host) {
  const auto bytes = limit(host, "Max locked memory");
  if (!bytes) return fine("memory.locked", "the limit of locked memory is not told");
  if (*bytes == kUnlimited) return fine("memory.locked", "locked memory is not limited");
  if (*bytes >= kLittleLockedBytes) return fine("memory.locked", "locked memory up to " + bytes_text(*bytes));
  return {"memory.locked", Severity::note, "only " + bytes_text(*bytes) + " may be locked (ulimit -l)",
          "Comity locks none, but the MPI needs locked memory for a fast network (InfiniBand, Omni-Path).",
          "ulimit -l unlimited, or memlock in /etc/security/limits.conf, on nodes with such a network."};
}

Finding check_files(const Host& host) {
  const auto files = limit(host, "Max open files");
  if (!files) return fine("memory.files", "the limit of open files is not told");
  if (*files == kUnlimited) return fine("memory.files", "open files are not limited");
  if (*files >= kFewFiles) return fine("memory.files", "up to " + std::to_string(*files) + " open files");
  return {"memory.files", Severity::warning, "only " + std::to_string(*files) + " open files are allowed (ulimit -n)",
          "A launcher holds several for each rank, and a rank several for its segment and its MPI.", "ulimit -n 4096"};
}

}  // namespace

Findings check_memory(const Host& host) {
  return {check_cgroup_memory(cgroup_limits(host)), check_locked(host), check_files(host)};
}

}  // namespace comity::cli
