# SPDX-License-Identifier: BSD-3-Clause
"""Programs of all kinds under the witness: each call of the program is seen once, whichever way MPI begins and ends, and
whoever else stands between the program and MPI."""
import os
import subprocess
import unittest
from collections import Counter

from witnessed import CALLS, FOLDER, MPI, OTHER, Case, Run, witness


class InC(Case):
    def test_known_numbers_of_calls(self):
        self.assert_counts(self.run_program(f"interpose_calls-{MPI}"), 2, CALLS)


class BeginningAndEnd(Case):
    def test_every_level_of_threads(self):
        for level in range(4):
            with self.subTest(level=level):
                run = self.run_program(f"interpose_threads-{MPI}", str(level))
                self.assert_counts(run, 2, {"MPI_Init_thread": 1, "MPI_Comm_dup": 4, "MPI_Sendrecv": 4000,
                                            "MPI_Comm_free": 4, "MPI_Finalize": 1})

    def test_a_call_before_main_and_one_in_atexit(self):
        run = self.run_program(f"interpose_ends-{MPI}", "finalize")
        self.assert_counts(run, 2, {"MPI_Initialized": 1, "MPI_Init": 1, "MPI_Barrier": 1, "MPI_Finalize": 1})

    def test_a_program_without_finalize(self):
        run = Run(f"interpose_ends-{MPI}", "none", ranks=1)  # of several ranks the launcher kills the others
        self.assert_counts(run, 1, {"MPI_Initialized": 1, "MPI_Init": 1, "MPI_Barrier": 1})

    def test_calls_left_by_longjmp_and_by_an_exception(self):
        run = self.run_program(f"interpose_jumps-{MPI}")
        self.assertEqual([counts["MPI_Barrier"] for counts in run.counts], [2, 2])
        self.assertEqual([counts["MPI_Finalize"] for counts in run.counts], [1, 1])

    def test_a_part_that_brings_its_mpi_late(self):
        run = self.run_program("interpose_late", str(FOLDER / f"libinterpose_late_part-{MPI}.so"))
        self.assert_counts(run, 2, {"MPI_Init": 1, "MPI_Barrier": 5, "MPI_Finalize": 1})


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
