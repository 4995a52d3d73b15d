# SPDX-License-Identifier: BSD-3-Clause
"""Fortran by each of its three ways, and mixed with C: each call is seen once."""
import unittest

from witnessed import CALLS, MPI, Case


class EveryWayOfFortran(Case):
    def test_the_header(self):
        self.assert_counts(self.run_program(f"interpose_calls_mpif-{MPI}"), 2, CALLS)

    def test_the_module(self):
        self.assert_counts(self.run_program(f"interpose_calls_mpi-{MPI}"), 2, CALLS)

    def test_the_module_of_2008(self):
        self.assert_counts(self.run_program(f"interpose_calls_f08-{MPI}"), 2, CALLS)

    def test_a_program_that_calls_c(self):
        run = self.run_program(f"interpose_mixed-{MPI}")
        self.assert_counts(run, 2, {"MPI_Init": 1, "MPI_Comm_size": 1, "MPI_Barrier": 2, "MPI_Allreduce": 1,
                                    "MPI_Finalize": 1})


if __name__ == "__main__":
    unittest.main()
