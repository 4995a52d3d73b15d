# SPDX-License-Identifier: BSD-3-Clause
"""A rank that sleeps is rung by what its wait is over by: counted, and no time is looked at. Without the ring it would look by itself some
milliseconds later, each time, and nobody would see that one is lost."""
import os
import re
import unittest

from sleeping import COMITY, LAUNCH, PROGRAM, Jobs

CLASSES = os.environ["COMITY_CASES"].split(",")
TIMES = 12  # as the program has it
ENDS = re.compile(r"waits of a rank that slept ended rank=1 rung=(\d+) unrung=(\d+)")


class Rings(Jobs):
    def test_each_class_rings(self):
        for name in CLASSES:
            with self.subTest(name):
                code, said, complaints = self.run_job("env", "COMITY_LOG=debug", COMITY, "run", "--coop", "on", "--",
                                                      *LAUNCH, PROGRAM, name)
                self.assertEqual(code, 0, said + complaints)
                found = ENDS.search(complaints)
                self.assertIsNotNone(found, complaints)
                rung, unrung = map(int, found.groups())
                self.assertGreaterEqual(rung, TIMES, "rank 1 has not slept")
                # Now and then a sleep ends by itself as the ring comes; who is never rung misses each time.
                self.assertLess(unrung, TIMES / 2)


if __name__ == "__main__":
    unittest.main()
