# SPDX-License-Identifier: BSD-3-Clause
"""A rank that sleeps is rung by what its wait is over by: counted, and no time is looked at. Without the ring it would look by itself some
milliseconds later, each time, and nobody would see that one is lost."""
import os
import re
import unittest

from sleeping import COMITY, LAUNCH, PROGRAM, Jobs

CLASSES = os.environ["COMITY_CASES"].split(",")
TIMES = 12  # as the program has it
ENDS = re.compile(r"waits of a rank that slept ended rank=1 rung=(\d+) unrung=(\d+) naps_rung=(\d+)")
RUNS = 3  # where the others' work keeps rank 0 from a processor rank 1 looks by itself before it is rung


class Counted(Jobs):
    def counts(self, name):
        code, said, complaints = self.run_job("env", "COMITY_LOG=debug", COMITY, "run", "--coop", "on", "--",
                                              *LAUNCH, PROGRAM, name)
        self.assertEqual(code, 0, said + complaints)
        found = ENDS.search(complaints)
        self.assertIsNotNone(found, complaints)
        return map(int, found.groups())


class Rings(Counted):
    def unrung(self, name):
        rung, unrung, _ = self.counts(name)
        self.assertGreaterEqual(rung, TIMES, "rank 1 has not slept")
        return unrung

    def test_each_class_rings(self):
        for name in CLASSES:
            with self.subTest(name):
                # Now and then a sleep ends by itself as the ring comes; who is never rung misses each time.
                unrung = self.unrung(name)
                for _ in range(RUNS - 1):
                    unrung = unrung if unrung < TIMES / 2 else self.unrung(name)
                self.assertLess(unrung, TIMES / 2)


class BesideAThread(Counted):
    """Which sleeps for both: its wait goes on, and its naps tell."""

    def test_each_class_rings_beside_a_thread(self):
        for name in CLASSES:
            with self.subTest(name):
                # One ring tells rank 1 to begin, and one that it is over.
                most = 0
                for _ in range(RUNS):
                    *_, naps_rung = self.counts(name)
                    most = max(most, naps_rung)
                    if most >= 3 * TIMES / 2:
                        break
                self.assertGreaterEqual(most, 3 * TIMES / 2)


def load_tests(loader, _tests, _pattern):
    return loader.loadTestsFromTestCase(BesideAThread if "BESIDE_A_THREAD" in os.environ else Rings)


if __name__ == "__main__":
    unittest.main()
