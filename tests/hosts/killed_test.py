# SPDX-License-Identifier: BSD-3-Clause
"""A rank of one host is killed while those of both sleep: the job ends as it does where they spin, and as soon.
    killed_test.py COMMAND PROGRESS LAUNCHER WORD..
COMITY_CASES: the case, whose last rank is killed."""
import os
import sys
import unittest

import hosts
from cooperative import TOLD, expect_cooperative

COMMAND, PROGRESS, *LAUNCHER = sys.argv[1:]
CASE = os.environ["COMITY_CASES"]
RANKS = int(LAUNCHER[LAUNCHER.index("-n") + 1])
HOSTS = ("--hosts", "2", "--slots", str(RANKS // 2))
LONGEST_S = 20


def setUpModule():
    hosts.require()


class Killed(unittest.TestCase):
    def end_of_job(self, *before):
        """Its status, and what it said. None of its ranks comes to MPI_Finalize."""
        status, output = hosts.run((*before, *LAUNCHER, PROGRESS, CASE), *HOSTS, longest_s=LONGEST_S)
        self.assertIsNotNone(status, f"the job has not ended:\n{output}")
        self.assertIn(CASE, output.splitlines())
        self.assertNotIn("done", output.splitlines())
        return status, output

    def test_the_job_ends_as_without_them(self):
        bare, _ = self.end_of_job()
        self.assertNotEqual(bare, 0)
        status, output = self.end_of_job(*TOLD, COMMAND, "run", "--coop", "on", "--")
        expect_cooperative(self, output, RANKS, but="of the group died")
        self.assertEqual(status, bare, output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
