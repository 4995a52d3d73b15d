# SPDX-License-Identifier: BSD-3-Clause
"""Waits in MPI that sleep in a job on two hosts, where half of the ranks cannot ring the others: programs drawn from a seed give the
same bytes, statuses and codes as without them.
    conformance_test.py COMMAND CONFORMANCE PROGRAMS LAUNCHER WORD.."""
import os
import random
import re
import sys
import unittest

import hosts
from cooperative import TOLD, expect_cooperative

COMMAND, CONFORMANCE, PROGRAMS, *LAUNCHER = sys.argv[1:]
RANKS = int(LAUNCHER[LAUNCHER.index("-n") + 1])
SLEEPING = (*TOLD, COMMAND, "run", "--coop", "on", "--")
SEED = os.environ.get("COMITY_SEED") or str(random.SystemRandom().randrange(1, 1 << 31))
LONGEST_S = 25  # MPICH 4.0 may hang there in MPI_Finalize: then all has been said


def setUpModule():
    hosts.require()


class Conformance(unittest.TestCase):
    def sums(self, *before):
        """What each program gave, by its number."""
        last = f"{int(PROGRAMS) - 1} "

        def job():
            return hosts.run((*before, *LAUNCHER, CONFORMANCE, SEED, PROGRAMS), "--hosts", "2", "--slots", "2", launcher=LAUNCHER,
                             last_line=lambda line: line.startswith(last), longest_s=LONGEST_S)

        status, output = job()
        rows = dict(re.findall(r"^(\d+) ((?:[0-9a-f]{16} ?)+)$", output, re.MULTILINE))
        self.assertEqual(len(rows), int(PROGRAMS), output)
        hosts.assert_ended(self, LAUNCHER, status, output, again=(lambda: job()[0]) if before else None)
        if before:
            expect_cooperative(self, output, RANKS)
        return rows

    def test_what_each_rank_gets_is_the_same(self):
        print(f"COMITY_SEED={SEED}: {PROGRAMS} programs", flush=True)
        bare = self.sums()
        sleeping = self.sums(*SLEEPING)
        self.assertEqual([number for number in bare if bare[number] != sleeping[number]], [], f"COMITY_SEED={SEED}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
