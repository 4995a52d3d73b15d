# SPDX-License-Identifier: BSD-3-Clause
"""A program in Fortran that lets MPI reorder, by mpif.h, `use mpi` and `use mpi_f08`: under `comity run --reorder`, and without."""
import os
import subprocess
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAMS = os.environ["COMITY_PROGRAMS"].split()
LAUNCH = os.environ["COMITY_LAUNCH"].split()
RANKS = 4
FINE = [f"rank {rank}: fine" for rank in range(RANKS)]
GIVEN_UP_S = 50


class Fortran(unittest.TestCase):
    def check(self, options, expected):
        self.assertEqual(len(PROGRAMS), 3)
        for program in PROGRAMS:
            with self.subTest(os.path.basename(program)):
                done = subprocess.run([COMITY, "run", *options, "--", *LAUNCH, "-n", str(RANKS), program, expected],
                                      capture_output=True, text=True, timeout=GIVEN_UP_S, check=False)
                self.assertEqual(sorted(done.stdout.splitlines()), FINE, done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_grids_and_graphs_are_reordered_where_it_allows_it(self):
        self.check(["--reorder"], "on")

    def test_they_keep_their_order_without_our_leave(self):
        self.check(["--coop", "off"], "off")


if __name__ == "__main__":
    unittest.main()
