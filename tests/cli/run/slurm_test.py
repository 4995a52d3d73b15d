# SPDX-License-Identifier: BSD-3-Clause
"""`comity run` with srun of a real Slurm, which is started for this test: what its tasks get, and how the command ends. Started by ctest as
the tests beside it, with MPICH, for Debian's Open MPI knows no Slurm; and with OPENMP_PROGRAM, which the module that starts Slurm asks
for. Skipped, with a sentence, where that is."""
import tempfile
import unittest

from jobs import PROGRAM, RANKS, everywhere, told  # before what stands in the folder above, which it finds
from place_slurm_test import Slurm, setUpModule  # noqa: F401  pylint: disable=unused-import
from running import run


class Srun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.slurm = Slurm(folder.name)
        self.addCleanup(self.slurm.stop)
        self.slurm.start()
        self.slurm.take_all_nodes()

    def comity(self, *words, options=(), **variables):
        return run("run", "--metrics", *options, "--", *words, **self.slurm.variables, **variables)

    def test_each_task_has_the_library_and_its_settings_and_the_end_is_the_programs(self):
        made = {"options": ("-n", RANKS, "--launcher", "srun"), "SLURM_MPI_TYPE": "pmi2"}
        done = self.comity(PROGRAM, "show", "COMITY_METRICS", **made)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(told(done.stdout, "COMITY_METRICS"), everywhere("on"), done.stdout)
        self.assertEqual(told(done.stdout, "loaded"), everywhere("yes"))
        self.assertEqual(done.stderr.count(f"comity: {RANKS} ranks, 1 node"), 1, "one job: " + done.stderr)
        self.assertEqual(self.comity("srun", "--mpi=pmi2", "-n", RANKS, PROGRAM, "exit", "3").returncode, 3)


if __name__ == "__main__":
    unittest.main()
