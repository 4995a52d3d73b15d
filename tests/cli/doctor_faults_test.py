# SPDX-License-Identifier: BSD-3-Clause
"""`comity doctor` where the fault is a real one: a full tmpfs, a hidden /proc, namespaces, cgroups, a bound shell, small
limits, system calls that are refused. Each lives in namespaces or a process of its own and goes with it. What the kernel
does not let us plant is skipped, loudly; on planted machines every fault is tested anyway (doctor/checks_test.cpp)."""
import fcntl
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import unittest
from pathlib import Path

from running import COMMAND, KEPT, run_json

QUIET = {"PATH": "/absent"}  # no launcher to ask: some take seconds
CANNOT_PLANT = 77
ROOT = Path(__file__).resolve().parents[2]


def by_id(told):
    return {finding["id"]: finding for finding in told["findings"]}


def told_by(done):
    """The findings of a doctor that has ended, by id. A crash, and any end but its own two, is a failure."""
    assert done.returncode in (0, 1) and done.stdout, f"the doctor ended with {done.returncode}: {done.stderr.strip()}"
    return by_id(json.loads(done.stdout))


def run_doctor(**how):
    return subprocess.run([COMMAND, "doctor", "--json"], **{"env": {**KEPT, **QUIET}, **how}, capture_output=True,
                          text=True, check=False, timeout=50)


def in_namespace(case, flags, plant="true", **variables):
    """The findings of a doctor in namespaces of its own, behind a shell that plants the fault there."""
    if os.geteuid() != 0 and "-r" not in flags:
        flags = ("-r", *flags)
    script = f"echo inside >&2; {plant} || exit {CANNOT_PLANT}; PATH=/absent exec '{COMMAND}' doctor --json"
    done = subprocess.run([shutil.which("unshare") or "unshare", *flags, "/bin/sh", "-c", script],
                          env={**KEPT, **variables}, capture_output=True, text=True, check=False, timeout=50)
    refused_by_unshare = done.returncode == 1 and not done.stderr.startswith("inside\n")
    if refused_by_unshare or done.returncode == CANNOT_PLANT:
        case.skipTest(f"NOT TESTED: not permitted here in unshare {' '.join(flags)}: {done.stderr.strip()}")
    return told_by(done)


def own_group(controller):
    """The folder of this process's group under a controller, version 1 or 2; None where it cannot be told."""
    groups = dict(line.split(":")[1:] for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines())
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, after = (part.split() for part in line.split(" - "))
        if after[0] == "cgroup" and controller in after[2].split(",") and controller in groups:
            return Path(before[4] + groups[controller])
        if after[0] == "cgroup2" and controller in Path(before[4], "cgroup.controllers").read_text(encoding="utf-8").split():
            return Path(before[4] + groups[""])
    return None


def in_group(case, controller, limits, **variables):
    """The findings of a doctor in a new group below this one's; limits: file -> text, those that the version has."""
    parent = own_group(controller)
    group = parent / f"comity-doctor-{os.getpid()}" if parent else None
    try:
        if group is None:
            raise OSError("no such controller")
        group.mkdir()
    except OSError as error:
        case.skipTest(f"NOT TESTED: no group of {controller} can be made here: {error}")
    try:
        written = [(group / name).write_text(text) for name, text in limits.items() if (group / name).exists()]
        if not written:
            case.skipTest(f"NOT TESTED: groups here have no files of {controller}")
        return told_by(run_doctor(env={**KEPT, **QUIET, **variables},
                                  preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid()))))
    finally:
        group.rmdir()


def limited(which, value):
    """The findings of a doctor whose soft limit is small."""
    _, most = resource.getrlimit(which)
    return told_by(run_doctor(preexec_fn=lambda: resource.setrlimit(which, (value, most))))


def refused(case, *call):
    """The findings of a doctor that the kernel refuses a system call: its name, maybe an argument's index and value."""
    done = subprocess.run([os.environ["REFUSED"], *call, "--", COMMAND, "doctor", "--json"], env={**KEPT, **QUIET},
                          capture_output=True, text=True, check=False, timeout=50)
    if done.returncode == CANNOT_PLANT:
        case.skipTest(f"NOT TESTED: no filter of system calls can be set here: {done.stderr.strip()}")
    return told_by(done)


class Planted(unittest.TestCase):
    def expect(self, findings, name, severity, words):
        self.assertEqual(findings[name]["severity"], severity, findings[name])
        self.assertIn(words, " ".join((findings[name]["what"], findings[name]["why"], findings[name]["do"])))


class Settings(Planted):
    def test_folder_that_is_missing(self):
        found = by_id(run_json("doctor", COMITY_NODE_DIRECTORY="/absent", **QUIET))
        self.expect(found, "sharing.folder", "warning", "/absent does not exist")

    def test_policy(self):
        found = by_id(run_json("doctor", OMP_PROC_BIND="close", **QUIET))
        self.expect(found, "openmp.OMP_PROC_BIND", "warning", "Unset OMP_PROC_BIND")

    def test_small_teams(self):
        found = by_id(run_json("doctor", OMP_DYNAMIC="true", HWLOC_SYNTHETIC="core:2 pu:1", **QUIET))
        self.expect(found, "openmp.OMP_DYNAMIC", "warning", "Unset OMP_DYNAMIC")

    def test_missing_launcher(self):
        self.expect(by_id(run_json("doctor", **QUIET)), "mpi.launcher", "warning", "apt install openmpi-bin")


class Limits(Planted):
    def test_few_files(self):
        self.expect(limited(resource.RLIMIT_NOFILE, 256), "memory.files", "warning", "only 256 open files")

    def test_little_locked_memory(self):
        self.expect(limited(resource.RLIMIT_MEMLOCK, 65536), "memory.locked", "note", "only 64 KiB")


class Namespaces(Planted):
    def test_full_tmpfs(self):
        full = "mount -t tmpfs -o size=1m none /dev/shm && ! dd if=/dev/zero of=/dev/shm/full bs=64k 2>&-"
        found = in_namespace(self, ("-m",), full)
        self.expect(found, "sharing.folder", "warning", "/dev/shm has only 0 bytes free")
        self.expect(found, "sharing.shm", "warning", "0 bytes free")

    def test_small_tmpfs(self):
        found = in_namespace(self, ("-m",), "mount -t tmpfs -o size=32m none /dev/shm")
        self.expect(found, "sharing.shm", "warning", "--shm-size")

    def test_hidden_processes(self):
        found = in_namespace(self, ("-m", "-p", "-f"), "mount -t proc -o hidepid=2 proc /proc")
        self.expect(found, "kernel.hidepid", "note", "hidepid=")
        self.expect(found, "kernel.pid_namespace", "note", "of its own")

    def test_hidden_proc(self):
        found = in_namespace(self, ("-m",), "mount -t tmpfs none /proc")
        self.expect(found, "kernel.proc", "error", "/proc is not mounted")
        self.expect(found, "kernel.boot_id", "error", "boot_id cannot be read")
        self.expect(found, "sharing.proc", "warning", "takes the next that is open")

    def test_user_namespace(self):
        self.expect(in_namespace(self, ("-U", "-r")), "kernel.user_namespace", "note", "of its own")


class SystemCalls(Planted):
    """Calls that a container's seccomp profile refuses."""

    REFUSAL = "Operation not permitted"

    def test_memory_file(self):
        self.expect(refused(self, "memfd_create"), "sharing.memory_file", "warning", self.REFUSAL)

    def test_unix_socket(self):
        unix = ("0", str(int(socket.AF_UNIX)))
        self.expect(refused(self, "socket", *unix), "sharing.socket", "warning", self.REFUSAL)

    def test_lock(self):
        set_lock = ("1", str(fcntl.F_OFD_SETLK))
        self.expect(refused(self, "fcntl", *set_lock), "sharing.lock", "error", self.REFUSAL)

    def test_futex(self):
        wait_until = ("1", "9")  # FUTEX_WAIT_BITSET between processes: the C library's own are private
        self.expect(refused(self, "futex", *wait_until), "sharing.futex", "error", "neither sleeps nor sees a change")

    def test_the_others_stay_fine(self):
        found = refused(self, "futex", "1", "9")
        for name in ("sharing.memory_file", "sharing.proc", "sharing.socket", "sharing.lock"):
            self.assertEqual(found[name]["severity"], "ok", found[name])


class Groups(Planted):
    def test_cpuset(self):
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("NOT TESTED: one PU only")
        found = in_group(self, "cpuset", {"cpuset.mems": "0", "cpuset.cpus": str(allowed[0])})
        self.expect(found, "cpus.allowed", "note", f"may use 1 PU ({allowed[0]}); the machine also has")

    def test_cpuset_that_hwloc_ignores(self):
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("NOT TESTED: one PU only")
        found = in_group(self, "cpuset", {"cpuset.mems": "0", "cpuset.cpus": str(allowed[0])}, HWLOC_ALLOW="all")
        self.expect(found, "cpus.cpuset", "warning", f"the cgroup's cpuset is {allowed[0]}, but hwloc found")

    def test_cpu_quota(self):
        raise_it = "Raise the quota (docker --cpus, Kubernetes limits, cpu.max)"
        for microseconds, cpus, advice in ((50000, "0.5", "."), (150000, "1.5", ", or allow only 1 PU with a cpuset.")):
            if len(os.sched_getaffinity(0)) <= float(cpus):
                continue  # that quota limits nobody here
            found = in_group(self, "cpu", {"cpu.cfs_quota_us": str(microseconds), "cpu.cfs_period_us": "100000",
                                           "cpu.max": f"{microseconds} 100000"})
            self.expect(found, "cpus.quota", "warning", f"the time of {cpus} CPUs")
            self.assertEqual(found["cpus.quota"]["do"], raise_it + advice)

    def test_little_memory(self):
        found = in_group(self, "memory", {"memory.limit_in_bytes": "128M", "memory.max": "128M"})
        self.expect(found, "memory.cgroup", "warning", "128 MiB of memory")


class Yama(Planted):
    def test_ptrace_scope(self):
        scope = "/proc/sys/kernel/yama/ptrace_scope"
        if not os.path.exists(scope):
            self.skipTest("NOT TESTED: this kernel has no Yama")
        plant = f"mount -t tmpfs none /mnt && echo 2 > /mnt/scope && mount --bind /mnt/scope {scope}"
        self.expect(in_namespace(self, ("-m",), plant), "kernel.ptrace", "note", "ptrace_scope is 2")


class BoundShell(Planted):
    def test_bound_shell(self):
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("NOT TESTED: one PU only")
        done = run_doctor(preexec_fn=lambda: os.sched_setaffinity(0, allowed[:1]))
        self.expect(told_by(done), "cpus.binding", "note", f"bound to PU {allowed[0]} of")


class InnerMpi(Planted):
    def test_mpi_in_a_dynamic_program(self):
        found = by_id(run_json("doctor", os.environ["INNER_SOLVER"], **QUIET))
        self.expect(found, "program.mpi", "warning", "has an MPI linked into it (MPI_Finalize and 2 more)")


class StaticMpi(Planted):
    def test_static_mpi(self):
        found = by_id(run_json("doctor", os.environ["STATIC_SOLVER"], **QUIET))
        self.expect(found, "program.loader", "warning", "LD_PRELOAD is ignored")
        self.assertEqual(found["program.file"]["severity"], "ok")


class Table(unittest.TestCase):
    """The page lists every finding of the source, and every fault on it is planted."""

    def test_every_finding_of_the_source_is_on_the_page(self):
        page = self.page()
        for source in sorted((ROOT / "src/cli/doctor").glob("*.cpp")):
            for name in re.findall(r'"((?:cpus|kernel|sharing|memory|mpi|openmp|settings|program)\.\w+)"',
                                   source.read_text(encoding="utf-8")):
                self.assertIn(f"`{name}`", page, source)

    def test_every_fault_on_the_page_is_planted(self):
        planted = set(re.findall(r'\{"\w+", "([a-z]+\.[\w.]+)", Severity::(\w+)',
                                 (ROOT / "tests/cli/doctor/checks_test.cpp").read_text(encoding="utf-8")))
        rows = [line.split("|") for line in self.page().splitlines() if line.startswith("| `")]
        self.assertGreater(len(rows), 25)
        for _, names, fault, *_ in rows:
            for name in re.findall(r"`([^`]+)`", names):
                pattern = re.compile(re.sub(r"<\w+>", r"[\\w.]+", re.escape(name).replace(r"\<", "<").replace(r"\>", ">")))
                for severity in set(re.findall(r": (note|warning|error)\b", fault)):
                    hits = [one for one in planted if pattern.fullmatch(one[0]) and one[1] == severity]
                    self.assertTrue(hits, f"{name}: no test plants what is a {severity}")

    @staticmethod
    def page():
        return (ROOT / "docs/doctor.md").read_text(encoding="utf-8")


def load_tests(loader, tests, _pattern):
    """One kind is an entry of ctest; without a word all of them."""
    kind = os.environ.get("KIND")
    return loader.loadTestsFromTestCase(globals()[kind]) if kind else tests


if __name__ == "__main__":
    unittest.main()
