# SPDX-License-Identifier: BSD-3-Clause
"""Waits in MPI that sleep in a job on two hosts, where half of the ranks cannot ring the others: what ends without ends with
them.
    coop_test.py COMMAND PROGRAM LAUNCHER WORD..
COMITY_CASES: of the program."""
import os
import sys
import unittest

import hosts
from cooperative import TOLD, expect_cooperative

COMMAND, PROGRAM, *LAUNCHER = sys.argv[1:]
CASES = os.environ["COMITY_CASES"].split(",")
RANKS = int(LAUNCHER[LAUNCHER.index("-n") + 1])
HOSTS = ("--hosts", "2", "--slots", str(RANKS // 2))
LONGEST_S = 25  # MPICH 4.0 may hang there in MPI_Finalize: then all has been said


def setUpModule():
    hosts.require()


class Coop(unittest.TestCase):
    @staticmethod
    def job():
        return hosts.run((*TOLD, COMMAND, "run", "--coop", "on", "--", *LAUNCHER, PROGRAM, *CASES), *HOSTS,
                         launcher=LAUNCHER, last_line="done", longest_s=LONGEST_S)

    def test_what_ends_without_ends_with_them(self):
        status, output = self.job()
        self.assertEqual([line for line in output.splitlines() if line in (*CASES, "done")], [*CASES, "done"], output)
        hosts.assert_ended(self, LAUNCHER, status, output, again=lambda: self.job()[0])
        expect_cooperative(self, output, RANKS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
