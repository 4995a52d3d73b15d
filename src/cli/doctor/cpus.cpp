// SPDX-License-Identifier: BSD-3-Clause
// CPUs: which ones this job may use, whether it may use all their time, and whether others use them too.
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "cli/doctor/cgroup.hpp"
#include "cli/doctor/checks.hpp"
#include "machine/loader.hpp"
#include "machine/machine.hpp"

namespace comity::cli {
namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

Finding check_allowed(const machine::Machine& machine) {
  const CpuSet forbidden = machine.complete() - machine.allowed();
  const std::string may =
      "this job may use " + count_text(machine.allowed().count(), "PU") + " (" + machine.allowed().to_list() + ")";
  if (forbidden.empty()) return fine("cpus.allowed", may + ", all that the machine has");
  return {"cpus.allowed", Severity::note, may + "; the machine also has " + forbidden.to_list(),
          "Comity widens ranks over the allowed PUs only; the others are forbidden by a cgroup or cpuset, or offline.",
          "If the job should have them, ask the batch system or container for the whole node (srun --exclusive, docker "
          "--cpuset-cpus)."};
}

Finding check_binding(const Host& host, const machine::Machine& machine) {
  const CpuSet mine = host.binding & machine.allowed();
  if (machine.simulated() || mine.encloses(machine.allowed())) {
    return fine("cpus.binding", "this shell is not bound to a part of them");
  }
  return {
      "cpus.binding", Severity::note,
      "this shell is bound to PU " + mine.to_list() + " of " + machine.allowed().to_list(),
      "Ranks that are started from here inherit the binding; Comity may still widen them, for the kernel allows it.",
      "Nothing, if it is meant; else start from a shell without taskset or numactl."};
}

Finding check_topology(const Host& host, const machine::Machine& machine) {
  if (!machine.simulated()) return fine("cpus.topology", "hwloc reads the real machine");
  std::string causes;
  for (const std::string& name : machine::variables_that_name(host.variable)) {
    causes += (causes.empty() ? "" : " and ") + name;
  }
  return {"cpus.topology", Severity::note, "the machine is a simulated one: " + std::string(machine.name()),
          "Bindings are remembered and move nothing; good for tests, wrong for measurements.",
          "Unset " + (causes.empty() ? "hwloc's variables" : causes) + " for real runs."};
}

Finding check_hwloc(const Host& host) {
  if (host.hwloc_version.empty())
    return {"cpus.hwloc", Severity::note, "the version of hwloc cannot be told", "Comity needs 2.1 or later.",
            "Look with lstopo --version."};
  const double version = std::atof(host.hwloc_version.c_str());
  if (version >= 2.1) return fine("cpus.hwloc", "hwloc with interface " + host.hwloc_version);
  return {"cpus.hwloc", Severity::error, "hwloc with interface " + host.hwloc_version + " is loaded",
          "Comity needs hwloc 2.1 or later; another one is in front of it in LD_LIBRARY_PATH, perhaps that of an MPI.",
          "Put the newer hwloc first in LD_LIBRARY_PATH."};
}

// Below one CPU no cpuset is small enough.
std::string fewer_pus(double cpus) {
  if (cpus < 1.0) return {};
  return ", or allow only " + count_text(static_cast<std::size_t>(cpus), "PU") + " with a cpuset";
}

Finding check_quota(const CgroupLimits& limits, std::size_t allowed) {
  if (!limits.cpus) return fine("cpus.quota", "no cgroup limits CPU time");
  const std::string what =
      "the cgroup gives the time of " + decimal(*limits.cpus) + " CPUs; " + count_text(allowed, "PU") + " may be used";
  if (*limits.cpus >= static_cast<double>(allowed)) return fine("cpus.quota", what);
  return {"cpus.quota", Severity::warning, what,
          "A team over all PUs uses the quota up early in each period, and then all its threads stand still until the "
          "next: stalls of tens of milliseconds that look like noise.",
          "Raise the quota (docker --cpus, Kubernetes limits, cpu.max)" + fewer_pus(*limits.cpus) + '.'};
}

Finding check_cpuset(const CgroupLimits& limits, const machine::Machine& machine) {
  if (limits.cpuset.empty() || machine.simulated()) return fine("cpus.cpuset", "no cgroup names CPUs");
  const CpuSet named = CpuSet::parse_list(limits.cpuset);
  if (named.encloses(machine.allowed())) return fine("cpus.cpuset", "the cgroup's cpuset is " + limits.cpuset);
  return {
      "cpus.cpuset", Severity::warning,
      "the cgroup's cpuset is " + limits.cpuset + ", but hwloc found PU " + machine.allowed().to_list() + " allowed",
      "Pushes that leave the cpuset are refused by the kernel.",
      "Let hwloc see the cgroup: unset HWLOC_ALLOW; mount /sys/fs/cgroup and /proc in the container."};
}

Finding check_load(const Host& host, std::size_t allowed) {
  const std::string text = host.read("/proc/loadavg").value_or("");
  if (text.empty()) return fine("cpus.load", "the load is not told");
  const double load = std::atof(text.c_str());
  const std::string what = "load " + decimal(load) + " on " + count_text(allowed, "PU");
  if (load < 0.5 * static_cast<double>(allowed) + 0.5) return fine("cpus.load", what);
  return {"cpus.load", Severity::note, what + ": other work runs here",
          "Measurements vary, and a wait that spins takes time from somebody.",
          "For measurements wait until it is quiet; top shows who runs."};
}

}  // namespace

Findings check_cpus(const Host& host) {
  Findings found{check_hwloc(host)};
  try {
    const machine::Image image = host.machine();
    const machine::Machine machine(image);
    const CgroupLimits limits = cgroup_limits(host);
    const std::size_t allowed = machine.allowed().count();
    found.insert(found.end(), {check_topology(host, machine), check_allowed(machine), check_binding(host, machine),
                               check_cpuset(limits, machine), check_quota(limits, allowed), check_load(host, allowed)});
  } catch (const Error& error) {
    found.push_back(
        {"cpus.topology", Severity::error, error.what(), "Without a topology no context can be created.",
         "Check HWLOC_XMLFILE and HWLOC_SYNTHETIC, and that /sys is mounted; lstopo should show the machine."});
  }
  return found;
}

}  // namespace comity::cli
