# SPDX-License-Identifier: BSD-3-Clause
"""Waits in MPI that sleep in a job on two hosts, where half of the ranks cannot ring the others: what ends without ends with
them, and programs drawn from a seed give the same bytes, statuses and codes.
    coop_test.py COMMAND PROGRESS CONFORMANCE LAUNCHER WORD.."""
import os
import random
import re
import sys
import unittest

import hosts

COMMAND, PROGRESS, CONFORMANCE, *LAUNCHER = sys.argv[1:]
SLEEPING = (COMMAND, "run", "--coop", "on", "--")
CASES = ("rendezvous", "chain", "self", "tests", "probes", "ahead", "any_order", "nonblocking", "persistent")
if "mpich" in " ".join(LAUNCHER):  # Open MPI 4.1 makes no windows over TCP
    CASES += ("passive",)
SEED = os.environ.get("COMITY_SEED") or str(random.SystemRandom().randrange(1, 1 << 31))
PROGRAMS = "40"
LONGEST_S = 25  # MPICH 4.0 may hang there in MPI_Finalize: then all has been said


def setUpModule():
    hosts.require()


def job(*words, last_line=None):
    return hosts.run(words, "--hosts", "2", "--slots", "2", launcher=LAUNCHER, last_line=last_line, longest_s=LONGEST_S)


class Coop(unittest.TestCase):
    def test_what_ends_without_ends_with_them(self):
        status, output = job(*SLEEPING, *LAUNCHER, PROGRESS, *CASES, last_line="done")
        self.assertEqual([line for line in output.splitlines() if line in (*CASES, "done")], [*CASES, "done"], output)
        hosts.assert_ended(self, LAUNCHER, status, output)
        self.assertNotIn("[coop]", output)

    def sums(self, *before):
        """What each program gave, by its number."""
        last = f"{int(PROGRAMS) - 1} "
        status, output = job(*before, *LAUNCHER, CONFORMANCE, SEED, PROGRAMS, last_line=lambda line: line.startswith(last))
        rows = dict(re.findall(r"^(\d+) ((?:[0-9a-f]{16} ?)+)$", output, re.MULTILINE))
        self.assertEqual(len(rows), int(PROGRAMS), output)
        hosts.assert_ended(self, LAUNCHER, status, output)
        return rows

    def test_what_each_rank_gets_is_the_same(self):
        print(f"COMITY_SEED={SEED}: {PROGRAMS} programs", flush=True)
        bare = self.sums()
        sleeping = self.sums(*SLEEPING)
        self.assertEqual([number for number in bare if bare[number] != sleeping[number]], [], f"COMITY_SEED={SEED}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
