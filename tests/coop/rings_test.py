# SPDX-License-Identifier: BSD-3-Clause
"""The arrivals of p ranks at a barrier ring less than p times, on a communicator that has just been made too."""
import unittest

from sleeping import LAUNCH, PROGRAM, RANKS, SLEEPING, Jobs

BARRIERS = {"Nothing": 1, "Barrier": 2}  # a call: one before each, and its own
AROUND = 2  # the one before, of which rank 0 may leave while the last one still rings others, and the one behind


class Rings(Jobs):
    def test_arrivals_ring_less_than_once_a_rank(self):
        code, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM)
        self.assertEqual(code, 0, said + complaints)
        self.expect_cooperative(complaints)
        told = {name: (int(calls), int(rings)) for name, calls, rings in (row.split() for row in said.splitlines())}
        print(told, flush=True)
        for name, barriers in BARRIERS.items():
            calls, rings = told[name]
            self.assertGreater(rings, 0, "nobody has slept")
            self.assertLessEqual(rings, (calls * barriers + AROUND) * (RANKS - 1), name)


if __name__ == "__main__":
    unittest.main()
