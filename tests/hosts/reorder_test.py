# SPDX-License-Identifier: BSD-3-Clause
"""`comity run --reorder` over hosts: ranks that a launcher dealt to two hosts in turn come together on them, in every communicator that
lets MPI reorder, and a run finds what the run before found.
    reorder_test.py COMMAND PROGRAM LAUNCHER WORD..
The program takes an odd rank to be apart from an even one: so they are here, by their hosts."""
import re
import sys
import unittest

import hosts

COMMAND, PROGRAM, *LAUNCHER = sys.argv[1:]
IN_TURN = ["-ppn", "1"] if hosts.may_hang(LAUNCHER) else ["--map-by", "node", "-x", "HWLOC_SYNTHETIC", "-x", "COMITY_LOG"]
RANKS = 4
FINE = [f"rank {rank}: fine" for rank in range(RANKS)]
CHAIN = "[place] ordered 4 processes: worst/sum of each level, nodes first, were 3/3 and are 1/1, at least 1/1"


def setUpModule():
    hosts.require()


class AllFine:
    """Whether a line is the last one of all ranks."""

    def __init__(self):
        self.missing = set(FINE)

    def __call__(self, line):
        self.missing.discard(line)
        return not self.missing


class Reorder(unittest.TestCase):
    def job(self):
        """What it says that it has ordered; the program finds what it expects of that."""
        line = ["env", "HWLOC_SYNTHETIC=package:2 core:8 pu:1", "COMITY_LOG=info", COMMAND, "run", "--reorder", "--", *LAUNCHER,
                *IN_TURN, PROGRAM, "on"]
        status, output = hosts.run(line, "--hosts", "2", "--slots", "2", launcher=LAUNCHER, last_line=AllFine())
        hosts.assert_ended(self, LAUNCHER, status, output)
        self.assertEqual(sorted(line for line in output.splitlines() if line.startswith(("rank", "FAIL"))), FINE, output)
        return [found.group() for found in re.finditer(r"\[place\] ordered .*(?= \(rank)", output)]

    def test_ranks_on_two_hosts_in_turn_come_together(self):
        told = self.job()
        self.assertIn(CHAIN, told)
        self.assertEqual(self.job(), told, "another run")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
