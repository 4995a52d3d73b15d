# SPDX-License-Identifier: BSD-3-Clause
"""The machine that the demo runs on: its allowed cores, its name, its load. Read from the kernel; changes nothing."""
import os
import platform
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# With one of these hwloc describes another machine, unless HWLOC_THISSYSTEM=1 says that it is this one.
OTHER_MACHINES = ("HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_CPUID_PATH")
MOST_CPUS = 8192  # more than any kernel counts
BUSY_LOAD_A_CORE = 0.3
TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/"


def core_of(cpu):
    """Which core a logical CPU belongs to, as (package, core). Where the kernel does not say, a CPU is a core."""
    folder = Path(TOPOLOGY.format(cpu))
    try:
        return (int((folder / "physical_package_id").read_text()), int((folder / "core_id").read_text()))
    except (OSError, ValueError):
        return (0, cpu)


def cores_of(cpus, core=core_of):
    """CPUs grouped by core, both ascending: [[0, 8], [1, 9], ...]."""
    groups = {}
    for cpu in sorted(cpus):
        groups.setdefault(core(cpu), []).append(cpu)
    return sorted(groups.values())


def allowed_cores():
    return cores_of(os.sched_getaffinity(0))


def widest_affinity():
    """The calling thread's, once it has asked for every CPU there is: what the cgroup allows and the kernel has."""
    try:
        os.sched_setaffinity(0, range(MOST_CPUS))
    except OSError:
        pass  # where it may not ask, nobody else here can have more
    return os.sched_getaffinity(0)


def reachable_cpus():
    """What Comity's modes spread over, whatever this process is bound to. A thread asks, and ends: nothing has changed."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(widest_affinity).result()


def cpu_list(cpus):
    """{0, 1, 2, 5} is "0-2,5", as taskset takes it."""
    ranges = []
    for cpu in sorted(cpus):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def bound_to_less(bound, reachable):
    """Why modes that keep a binding cannot be compared with modes that do not; empty where both have the same CPUs."""
    if bound >= reachable:
        return ""
    whole = cpu_list(reachable)
    return (f"cannot compare the modes: this shell is bound to CPUs {cpu_list(bound)} of {whole} (by taskset, or a batch "
            "system). Some modes would keep to those; Comity's, which bind their ranks themselves, would not. Let the shell "
            f"use all (taskset -cp {whole} $$) and start again; to compare on fewer, start it where a cgroup allows no more, "
            "as a container with a cpuset")


def simulated_by(environment):
    """The variables that make the machine a simulated one, where nothing is bound and times mean nothing."""
    this_system = environment.get("HWLOC_THISSYSTEM", "")
    if this_system.strip() not in ("", "0"):
        return []
    named = [name for name in OTHER_MACHINES if name in environment]
    return named or (["HWLOC_THISSYSTEM"] if this_system else [])


def processor_name():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def load():
    """Running tasks over the last minute; the demo itself is not in it when asked at its start."""
    return os.getloadavg()[0]


def describe(cores, load=load):
    load_now = load()
    return {"processor": processor_name(), "cores": len(cores), "cpus": sum(len(core) for core in cores),
            "system": f"{platform.system()} {platform.release()}", "load_at_start": round(load_now, 2),
            "busy_at_start": load_now > BUSY_LOAD_A_CORE * len(cores)}
