# SPDX-License-Identifier: BSD-3-Clause
"""Whoever else stands between the program and MPI, each call of the program is seen once; and where the witness does not
belong."""
import os
import subprocess
import unittest
from collections import Counter

from witnessed import FOLDER, MPI, OTHER, Case, Run, witness


class OtherTools(Case):
    COUNTS = {"MPI_Init": 1, "MPI_Barrier": 5, "MPI_Send": 1, "MPI_Pcontrol": 1, "MPI_Finalize": 1}
    ITS_OWN = {"MPI_Comm_rank": 1}  # a tool in front of us is as good as the program

    def check(self, run, also=()):
        self.assert_counts(run, 2, {**self.COUNTS, **dict(also)})
        self.assertEqual(run.out.count("tool: 5 barriers, 1 marks"), 2, run.out)

    def test_before_us(self):
        tool = str(FOLDER / f"libinterpose_tool-{MPI}.so")
        self.check(self.run_program(f"interpose_barriers-{MPI}", preload=[tool, witness()]), also=self.ITS_OWN)

    def test_behind_us(self):
        self.check(self.run_program(f"interpose_barriers_with_tool-{MPI}"))

    def test_inside_the_program(self):
        self.check(self.run_program(f"interpose_barriers_around_tool-{MPI}"), also=self.ITS_OWN)


class WhereWeDoNotBelong(Case):
    def test_another_mpi_is_left_alone_with_one_line(self):
        run = Run(f"interpose_calls-{MPI}", preload=[witness(OTHER)])
        self.assertEqual(run.code, 0, run.out + run.err)
        self.assertEqual(run.err.count("steps aside"), 1, run.err)
        self.assertEqual(run.counts, [Counter(), Counter()])

    def test_a_function_that_nobody_has_is_named(self):
        done = subprocess.run([str(FOLDER / "interpose_late")], env={**os.environ, "LD_PRELOAD": witness()},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 127)
        self.assertIn("the program uses MPI_Initialized, which no MPI library of this process has", done.stderr)


if __name__ == "__main__":
    unittest.main()
