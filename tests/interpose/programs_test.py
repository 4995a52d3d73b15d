# SPDX-License-Identifier: BSD-3-Clause
"""Programs of all kinds under the witness: each call of the program is seen once, whichever way MPI begins and ends."""
import unittest

from witnessed import CALLS, FOLDER, MPI, Case, Run


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

    def test_a_constructor_that_begins_mpi_before_main(self):
        run = self.run_program(f"interpose_ends-{MPI}", "early")
        self.assert_counts(run, 2, {"MPI_Init": 1, "MPI_Initialized": 1, "MPI_Barrier": 1, "MPI_Finalize": 1})

    def test_a_constructor_of_a_library_of_the_program_that_begins_mpi(self):
        run = self.run_program(f"interpose_ends-{MPI}", "part")
        self.assert_counts(run, 2, {"MPI_Init": 1, "MPI_Initialized": 1, "MPI_Barrier": 1, "MPI_Finalize": 1})

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


if __name__ == "__main__":
    unittest.main()
