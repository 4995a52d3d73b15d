# SPDX-License-Identifier: BSD-3-Clause
"""A job on two hosts of which one rank has not loaded the library: the others know that on both hosts, and nobody waits for it.
    outsiders_test.py COMMAND PROGRAM LAUNCHER WORD.. -n 4"""
import sys
import unittest

import hosts
from cooperative import TOLD, expect_cooperative

COMMAND, PROGRAM, *LAUNCHER = sys.argv[1:]
CASES = ("two_groups",)


def setUpModule():
    hosts.require()


class Outsiders(unittest.TestCase):
    @staticmethod
    def job(*parts):
        """(status, output) of a job of parts (ranks, words before the program)."""
        at = LAUNCHER.index("-n")
        words = [word for ranks, before in parts for word in (":", "-n", ranks, *before, PROGRAM, *CASES)]
        command = [*TOLD, COMMAND, "run", "--coop", "on", "--", *LAUNCHER[:at], *LAUNCHER[at + 2:], *words[1:]]
        return hosts.run(command, "--hosts", "2", "--slots", "2", launcher=LAUNCHER, last_line="done")

    def test_ranks_of_both_hosts_know_who_is_outside(self):
        parts = (("2", ()), ("1", ("env", "-u", "LD_PRELOAD")), ("1", ()))
        status, output = self.job(*parts)
        self.assertEqual([line for line in output.splitlines() if line in (*CASES, "done")], [*CASES, "done"], output)
        hosts.assert_ended(self, LAUNCHER, status, output, again=lambda: self.job(*parts)[0])
        expect_cooperative(self, output, part=3, ranks=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
