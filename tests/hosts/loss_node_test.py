# SPDX-License-Identifier: BSD-3-Clause
"""A rank ends before a call by which QUO's ranks of a node meet or are asked for, of a job of two ranks on each of two hosts, whose
launcher lets the others go on.
    loss_node_test.py LAUNCHER WORD... PROGRAM"""
import sys
import unittest

import hosts
from loss_test import told


def setUpModule():
    hosts.require()


class NodeLoss(unittest.TestCase):
    """Its node is told; ranks of the other one meet, are distributed and ask as if nobody had ended."""

    def expect_its_node_told(self, call):
        said, output = told([call], 3)
        codes = {rank: what.split(": ")[:2] for rank, what in said.items()}
        self.assertEqual(codes, {"rank 0": ["QUO_SUCCESS", "in time"], "rank 1": ["QUO_SUCCESS", "in time"],
                                 "rank 2": ["QUO_ERR_SYS", "in time"]}, output)

    def test_in_a_barrier(self):
        self.expect_its_node_told("barrier")

    def test_in_a_distribution(self):
        self.expect_its_node_told("distribution")

    def test_in_a_query(self):
        self.expect_its_node_told("query")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
