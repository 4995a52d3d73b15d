# SPDX-License-Identifier: BSD-3-Clause
"""Each mode does what its name says: who runs L1, on how many threads and which CPUs, and where L0 runs. Checksums cannot
tell, for they are equal in all modes.

modes_test.py PROGRAM RANKS LAUNCHER...     the launcher's words end before the program's

On a machine of two NUMA nodes of two cores, where nothing is bound, and on this one."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, RANKS, *LAUNCHER = sys.argv[1:]
RANKS = int(RANKS)
STEPS = 2
SYNTHETIC = "numa:2 core:2 pu:1"
CORE = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
MOST_CPUS = 8192
FOREIGN = ("COMITY_", "HWLOC_", "OMP_", "GOMP_", "KMP_")


def config(resource):
    return f"""
[run]
steps = {STEPS}
[l0]
cells = [64, 64]
[l1]
cells = [64, 96]
conductivity = 0.002
tolerance = 1e-3
[layout]
resource = "{resource}"
"""


def siblings(cpu):
    """The CPUs of one core; where the kernel does not say, a CPU is a core."""
    try:
        return Path(CORE.format(cpu)).read_text().strip()
    except OSError:
        return cpu


def allowed_cpus():
    """What the cpuset allows, as Comity counts: whoever started this test may have bound it to less."""
    bound = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(MOST_CPUS))
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, bound)
    return allowed


def cores():
    return len({siblings(cpu) for cpu in allowed_cpus()})


class Run:
    """One run: its result, and its timeline without the first step, at whose end comity-callee first makes a context."""

    def __init__(self, mode, resource="numa", threads=0, words=(), **variables):
        with tempfile.TemporaryDirectory() as folder:
            file, result, timeline = (Path(folder) / name for name in ("run.toml", "result.json", "timeline.json"))
            file.write_text(config(resource))
            command = [*LAUNCHER, *words, PROGRAM, "--config", file, "--mode", mode, "--threads", threads,
                       "--json", result, "--timeline", timeline]
            kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
            ended = subprocess.run(list(map(str, command)), env={**kept, **variables}, capture_output=True, text=True,
                                   check=False, timeout=50)
            if ended.returncode != 0:
                raise AssertionError(ended.stdout + ended.stderr)
            self.threads = json.loads(result.read_text())["threads"]
            self.spans = json.loads(timeline.read_text())

    def in_phase(self, phase, rank, thread=0):
        """Of all steps but the first, in order."""
        spans = [span for span in self.spans if (span["phase"], span["rank"], span["thread"]) == (phase, rank, thread)]
        return spans[1:]

    def teams(self):
        """{rank: the threads that have a span of L1 in every step}"""
        found = {}
        for span in self.spans:
            if span["phase"] == "l1":
                found.setdefault(span["rank"], []).append(span["thread"])
        for rank, threads in found.items():
            assert sorted(threads) == sorted(list(set(threads)) * STEPS), (rank, threads)
        return {rank: len(set(threads)) for rank, threads in found.items()}


class Modes(unittest.TestCase):
    def check_teams(self, run, teams):
        self.assertEqual(run.teams(), teams)
        self.assertEqual(run.threads, max(teams.values()))

    def cpus_of(self, spans):
        """The CPUs of spans that lie on one each."""
        cpus = [span["cpus"] for span in spans]
        self.assertTrue(cpus and all(len(each) == 1 for each in cpus), cpus)
        return [each[0] for each in cpus]


class OnTwoNumaNodes(Modes):
    """Two ranks are spread over the cores of the first node, four over those of both."""

    def check_leaders(self, mode):
        self.check_teams(Run(mode, HWLOC_SYNTHETIC=SYNTHETIC), {0: 2, 2: 2} if RANKS == 4 else {0: 2})

    def test_comity_runs_l1_on_the_cores_of_a_leader_of_each_node(self):
        self.check_leaders("comity")

    def test_comity_callee_does_the_same(self):
        self.check_leaders("comity-callee")

    def test_under_full_gives_each_rank_its_share_of_the_cores(self):
        self.check_teams(Run("under-full", HWLOC_SYNTHETIC=SYNTHETIC), {rank: 4 // RANKS for rank in range(RANKS)})

    def test_full_under_runs_l1_as_comity(self):
        self.check_leaders("full-under")


class OnThisMachine(Modes):
    """Each run starts with all its ranks on one CPU: where they are later is what Comity did."""

    def run_from_one_cpu(self, mode):
        return Run(mode, "machine", words=["taskset", "-c", max(allowed_cpus())])

    def check_wide(self, run):
        """One leader alone, a thread on each core, each on a CPU of its own."""
        (leader,) = run.teams()
        self.check_teams(run, {leader: cores()})
        for step in range(STEPS - 1):
            spans = [run.in_phase("l1", leader, thread)[step] for thread in range(cores())]
            self.assertEqual(len(set(self.cpus_of(spans))), cores(), spans)

    def check_spread(self, run):
        """Each rank stays on one CPU for L0; no two are on the same one as long as there are cores."""
        used = [set(self.cpus_of(run.in_phase("l0", rank))) for rank in range(RANKS)]
        self.assertEqual([len(each) for each in used], [1] * RANKS)
        self.assertEqual(len(set.union(*used)), min(RANKS, cores()), used)

    def test_comity_is_spread_for_l0_and_one_leader_is_wide_for_l1(self):
        run = self.run_from_one_cpu("comity")
        self.check_spread(run)
        self.check_wide(run)

    def test_comity_callee_does_the_same_once_l1_was_called(self):
        run = self.run_from_one_cpu("comity-callee")
        self.check_spread(run)
        self.check_wide(run)

    def test_under_full_is_spread_for_l0_and_every_rank_runs_l1(self):
        run = self.run_from_one_cpu("under-full")
        self.check_spread(run)
        self.assertEqual(set(run.teams()), set(range(RANKS)))
        share = max(1, cores() // RANKS)
        self.assertLessEqual(set(run.teams().values()), {share, share + (cores() % RANKS != 0 and cores() > RANKS)})
        self.assertEqual(run.threads, max(run.teams().values()))

    def test_under_has_the_threads_that_it_is_told_on_every_rank(self):
        self.check_teams(Run("under", threads=2), {rank: 2 for rank in range(RANKS)})

    def test_a_team_that_openmp_makes_narrower_is_told_as_it_ran(self):
        self.check_teams(Run("under", threads=2, OMP_THREAD_LIMIT="1"), {rank: 1 for rank in range(RANKS)})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
