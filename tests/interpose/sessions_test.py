# SPDX-License-Identifier: BSD-3-Clause
"""A program of sessions alone, under an MPI that has them."""
import unittest

from witnessed import MPI, Case


class Sessions(Case):
    def test_sessions(self):
        run = self.run_program(f"interpose_session-{MPI}")
        self.assert_counts(run, 2, {"MPI_Session_init": 1, "MPI_Group_from_session_pset": 1, "MPI_Comm_create_from_group": 1,
                                    "MPI_Comm_size": 1, "MPI_Allreduce": 1, "MPI_Comm_free": 1, "MPI_Group_free": 1,
                                    "MPI_Session_finalize": 1})


if __name__ == "__main__":
    unittest.main()
