# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits for one of another host sleeps on the library's descriptors, and looks rarely.
    far_test.py COMMAND PROGRAM LAUNCHER..."""
import sys
import unittest

import hosts
from cooperative import TOLD, expect_cooperative

COMMAND, PROGRAM, *LAUNCH = sys.argv[1:]
RANKS = int(LAUNCH[LAUNCH.index("-n") + 1])
LONGEST_S = 25
RAREST_NAPS_US = 10000  # behind descriptors that tell
NAPS_US = 1000  # at most, without them
SLEEPS_AROUND = 8  # of a wait: what comes in between, as the library's own threads and locks
WAITS = 8


def setUpModule():
    hosts.require()


class Rows:
    """Whether a line is the last one of so many."""

    def __init__(self, count):
        self.left = count

    def __call__(self, line):
        self.left -= line.startswith("far ")
        return self.left <= 0


def told(*words, whom=()):
    """Of each rank that waited for another host: how long [us], how often it slept meanwhile; and all that was said."""
    _, output = hosts.run([*words, *TOLD, COMMAND, "run", "--coop", "on", "--", *LAUNCH, PROGRAM, *whom], "--hosts", "2", "--slots", "2",
                          launcher=LAUNCH, last_line=Rows(RANKS // 2 if whom else 1), longest_s=LONGEST_S)
    rows = [row.split()[1:] for row in output.splitlines() if row.startswith("far ")]
    if len(rows) != (RANKS // 2 if whom else 1):
        raise AssertionError(output)
    return [tuple(map(float, row)) for row in rows], output


class Far(unittest.TestCase):
    def expect_rare_looks(self, *whom):
        rows, output = told(whom=whom)
        expect_cooperative(self, output, RANKS)
        for waited_us, slept in rows:
            self.assertLess(slept, 2 * waited_us / RAREST_NAPS_US + WAITS * SLEEPS_AROUND, output)

    def test_it_looks_rarely_where_descriptors_tell(self):
        self.expect_rare_looks()

    def test_so_does_each_of_those_of_a_host_that_wait_for_another_one(self):
        self.expect_rare_looks("all")

    def test_it_looks_as_before_where_it_is_told_to(self):
        ((waited_us, slept),), output = told("env", "COMITY_COOP_FAR_WATCH=off")
        expect_cooperative(self, output, RANKS)
        self.assertGreater(slept, waited_us / NAPS_US / 2, output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
