# SPDX-License-Identifier: BSD-3-Clause
"""What is told of a program that sets levels of MPI_Pcontrol, in C and in Fortran: figures by level, and none of level 0."""
import json
import os
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
RANKS = 2


class Case(unittest.TestCase):
    def told(self, output=""):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            environment = {**os.environ, "TMPDIR": folder}
            run = subprocess.run([COMITY, "run", "--record", record, "--metrics", "--", *LAUNCH, "-n", str(RANKS), PROGRAM],
                                 capture_output=True, text=True, timeout=50, check=False, env=environment)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(sorted(run.stdout.splitlines()), RANKS * [output] if output else [])
            self.assertIn("Left out, by MPI_Pcontrol(0)", run.stderr)
            report = subprocess.run([COMITY, "report", "--json", record], capture_output=True, text=True, timeout=50,
                                    check=True, env=environment)
            return json.loads(report.stdout)["metrics"]

    def assert_levels(self, told, barriers):
        found = {f["region"]: f["calls"] // RANKS for f in told["functions"] if f["function"] == "MPI_Barrier"}
        self.assertEqual(found, barriers)
        regions = {region["region"]: region for region in told["regions"]}
        self.assertEqual(set(regions), set(barriers))
        for name, region in regions.items():
            self.assertEqual(region["visits"], 1, name)
            self.assertGreater(region["wall_s"], 0, name)
            self.assertLessEqual(region["mpi_s"], RANKS * region["wall_s"], name)
        self.assertEqual(told["messages"], [], "the one at level 0 is left out")
        self.assertGreater(told["paused_s"], 0)
        self.assertEqual(told["flight"]["injections"], RANKS * sum(barriers.values()), "those at level 0 inject nothing that counts")


class C(Case):
    def test_levels_are_regions_inside_and_around_the_programs_own(self):
        self.assert_levels(self.told(), {"(run)": 9, "MPI_Pcontrol(3)": 2, "MPI_Pcontrol(3)/solve": 4})


class Tool(C):
    """Behind us there is another tool of MPI's profiling interface: it gets each call, with the words behind the level."""

    def told(self, output=""):
        return super().told(output or "tool: 31 barriers, 1 marks")


class Fortran(Case):
    def test_levels_are_seen_by_each_way_to_call_mpi(self):
        self.assert_levels(self.told(), {"(run)": 9, "MPI_Pcontrol(3)": 6})


def load_tests(loader, tests, _pattern):
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(globals()[group]) if group else tests


if __name__ == "__main__":
    unittest.main()
