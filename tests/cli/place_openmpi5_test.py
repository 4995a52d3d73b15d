# SPDX-License-Identifier: BSD-3-Clause
"""`comity place --output openmpi5` with an mpirun of Open MPI 5, on this host: where ranks and threads run; and the cores that it means by
what is written for other machines, whose CPUs nobody can run on here. Environment: COMMAND_UNDER_TEST, OPENMP_PROGRAM, MACHINES."""
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

import open_mpi_5
import running

LAUNCHER = open_mpi_5.launcher()
PROGRAM, MACHINES = os.environ["OPENMP_PROGRAM"], Path(os.environ["MACHINES"])
# It does not start without a home.
AS_ROOT = {"HOME": "/nonexistent", **{name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}}


def numbers(text):
    ends = [part.split("-") for part in re.split("[,+]", text)]
    return [number for part in ends for number in range(int(part[0]), int(part[-1]) + 1)]


def launch_for(form, job, folder):
    """What is written for a launcher, and the words of its line."""
    done = running.run("place", *job, "--output", form, "--to", folder, "--json", "--", PROGRAM)
    assert done.returncode == 0, done.stderr
    return shlex.split(json.loads(done.stdout)["launch"]["line"])


class Here(unittest.TestCase):
    def check_as_planned(self, job, ranks, threads):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("this needs two cores, and here is one")
        with tempfile.TemporaryDirectory() as folder:
            line = [LAUNCHER, *launch_for("openmpi5", job, folder)[1:]]
            done = running.run("place", *job, "--verify", "--json", "--", *line, **AS_ROOT)
        verdict = json.loads(done.stdout)
        self.assertEqual((done.returncode, verdict["findings"]), (0, []))
        self.assertEqual((verdict["ranks"], verdict["threads"], verdict["hosts"]), (ranks, threads, 1))

    def test_ranks_are_where_the_written_files_put_them(self):
        self.check_as_planned(("--grid", "2"), 2, 2)

    def test_threads_are_where_the_wrapper_puts_them(self):
        self.check_as_planned(("--grid", "1", "--threads", "2"), 1, 2)

    def test_unbound_ranks_are_named(self):
        done = running.run("place", "--grid", 2, "--verify", "--", LAUNCHER, "-n", 2, "--bind-to", "none", "{}", **AS_ROOT)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rank 0 may run on CPUs", done.stdout)


class Elsewhere(unittest.TestCase):
    """It says which CPUs a list means before it starts anything, and is asked for that."""

    def cpus_meant(self, xml, line):
        with tempfile.TemporaryDirectory() as folder:  # it cannot bind to CPUs that are not here, and what it leaves then goes with it
            shown = subprocess.run([LAUNCHER, "--prtemca", "rmaps_base_verbose", "5", *line[1:]], capture_output=True, text=True, check=False,
                                   timeout=40, env={**running.KEPT, **AS_ROOT, "HWLOC_XMLFILE": str(xml), "HWLOC_THISSYSTEM": "1",
                                                    "TMPDIR": folder})
        said = shown.stdout + shown.stderr
        found = re.findall(r"convert slots from <.*?> to <(.*?)>", said)
        self.assertTrue(found, said)
        return [numbers(cpus) for cpus in found]

    def check(self, xml, *job):
        """As planned: what Hydra is told, which takes numbers of CPUs."""
        job = (*job, "--node-xml", xml)
        with tempfile.TemporaryDirectory() as folder:
            words = launch_for("mpich", job, folder)
            planned = [numbers(cpus) for cpus in words[words.index("-bind-to") + 1].removeprefix("user:").split(",")]
            self.assertEqual(self.cpus_meant(xml, launch_for("openmpi5", job, folder)), planned)

    def test_packages_of_unequal_size(self):
        self.check(MACHINES / "uneven.xml", "--grid", "6")

    def test_rank_in_two_packages_that_has_not_all_cores(self):
        self.check(MACHINES / "e5-2660v3.xml", "--grid", "1", "--threads", "17", "--without", "0=0,3,12")

    def test_first_core_with_one_hardware_thread(self):
        text = (MACHINES / "laptop-smt.xml").read_text(encoding="ascii")
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as part:
            part.write(text.replace('allowed_cpuset="0x000000ff"', 'allowed_cpuset="0x000000ef"', 1))
            part.flush()
            self.check(Path(part.name), "--grid", "4")
            self.check(Path(part.name), "--grid", "1", "--threads", "3", "--without", "0=1")


if __name__ == "__main__":
    unittest.main()
