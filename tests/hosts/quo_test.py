# SPDX-License-Identifier: BSD-3-Clause
"""The rules of QUO's interface (tests/compat/quo) on two hosts, three ranks on one and two on the other.
    quo_test.py LAUNCHER WORD... PROGRAM
Judged by what rank 0 says at last: MPICH 4.0 may hang at its end between hosts, when all results are there."""
import sys
import unittest

import hosts

RANKS = 5
*LAUNCHER, PROGRAM = sys.argv[1:]


def setUpModule():
    hosts.require()


class Quo(unittest.TestCase):
    def expect_all_hold(self, kind, *before):
        words = [*LAUNCHER, *before, PROGRAM, kind]
        _, output = hosts.run(words, "--slots", "3", launcher=LAUNCHER, last_line="all of them hold")
        self.assertRegex(output, rf"(?m)^[1-9]\d* rules checked by {RANKS} ranks on 2 nodes\nall of them hold$")
        self.assertNotIn("FAIL", output)

    def test_rules_hold_on_each_of_several_nodes(self):
        for kind in "questions", "moves":
            with self.subTest(kind):
                self.expect_all_hold(kind)

    def test_rules_of_a_larger_machine_hold_on_each_of_several_nodes(self):
        self.expect_all_hold("two-sockets", "env", "HWLOC_SYNTHETIC=package:2 [numa] core:4 pu:2")

    def test_hosts_of_one_name_and_address_are_several_nodes(self):
        self.expect_all_hold("questions", "unshare", "--uts", "sh", "-c", 'hostname localhost && exec "$@"', "sh")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
