# SPDX-License-Identifier: BSD-3-Clause
"""The memory of a program in Fortran, which calls MPI by other names."""
import unittest

from memory_job import MEGA
from owners_test import Case


class Fortran(Case):
    def test_arrays_are_the_programs_wherever_they_are_touched(self):
        ranks, _ = self.run_job()
        for rank in ranks:
            mpi, application = rank["components"]["mpi"], rank["components"]["application"]
            self.near(application["asked_peak_bytes"], 40 * MEGA)
            self.near(application["held_bytes"], 16 * MEGA)
            # Pages of its own objects too: less shared when the other rank has ended.
            self.assertAlmostEqual(application["peak_bytes"] - application["start_bytes"], 40 * MEGA, delta=MEGA)
            self.assertAlmostEqual(application["last_bytes"] - application["start_bytes"], 16 * MEGA, delta=MEGA)
            self.assertLessEqual(mpi["peak_bytes"], 9 * MEGA)
            self.assertEqual([total["moment"] for total in rank["totals"]], ["at load", "before MPI_Init", "after MPI_Init", "at the end"])
        # Nothing is looked at behind a send: what rank 0 had then is seen where the barrier begins, or behind it.
        # A look from beside may find the rank in the send that follows, before it is looked at again itself.
        self.assertIn(ranks[0]["peak_seen_behind"], ("MPI_Barrier", "(between calls)", "MPI_Send"))
        self.assertEqual(ranks[1]["peak_seen_behind"], "MPI_Recv")


if __name__ == "__main__":
    unittest.main()
