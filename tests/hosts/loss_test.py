# SPDX-License-Identifier: BSD-3-Clause
"""A rank ends in a create, QUO's too, or a division, of a job of two ranks on each of two hosts, whose launcher lets the others go on.
    loss_test.py LAUNCHER WORD... PROGRAM
Judged by what the ranks say; who is not told waits in MPI for ever, and is ended with the hosts."""
import shlex
import sys
import unittest

import hosts

PATIENCE_S = 40
LOST = 'COMITY_ERR_PEER_LOST: in time: make or divide a context: '
A_RANK = LOST + 'a rank of this job has ended'
RANK_3 = LOST + 'rank 3 of MPI_COMM_WORLD has ended'


def setUpModule():
    hosts.require()


def told(words, wanted):
    """What each rank says, once so many have, and all output."""
    job = shlex.join([*sys.argv[1:], *words])
    script = f"""
cd $(mktemp -d)
: >said
{job} >>said 2>&1 &
for attempt in $(seq {PATIENCE_S}0); do
  [ $(grep -c '^rank ' said) -ge {wanted} ] && break
  sleep 0.1
done
sleep 0.3  # for who says more than is wanted
cat said
kill -9 $! 2>/dev/null
"""
    _, output = hosts.run_script(script, "--slots", "2")
    return {line.partition(":")[0]: line.partition(": ")[2] for line in output.splitlines()
            if line.startswith("rank ")}, output


class Loss(unittest.TestCase):
    def expect_told(self, words, ranks, sentence):
        said, output = told(words, len(ranks))
        self.assertEqual(sorted(said), [f"rank {rank}" for rank in ranks], output)
        for what in said.values():
            self.assertTrue(what.startswith(sentence), output)

    def test_all_hosts_are_told_by_the_one_that_has_lost(self):
        self.expect_told(["later"], [0, 1, 2], RANK_3)

    def test_a_division_tells_all_hosts(self):
        self.expect_told(["divide"], [0, 1, 2], "COMITY_ERR_PEER_LOST: in time")

    def test_a_first_create_tells_all_hosts(self):
        """Before its first meeting, the duplicate, and in what is said over the duplicate."""
        for calls in (1, 2, 4):
            with self.subTest(calls=calls):
                self.expect_told(["first", str(calls)], [0, 1, 2], LOST)

    def test_a_call_that_makes_no_communicator_of_a_node_tells_all_hosts(self):
        """Before the last of its calls of MPI, which makes a communicator, and before the one in front of it."""
        self.expect_told_before_the_last_calls("share", "COMITY_ERR_PEER_LOST")

    def test_a_call_of_quo_that_makes_no_communicator_of_a_node_tells_all_hosts(self):
        self.expect_told_before_the_last_calls("quo", "QUO_ERR_SYS")

    def expect_told_before_the_last_calls(self, words, code):
        for last in (0, 1):
            with self.subTest(last=last):
                self.expect_told([words, str(last)], [0, 1, 2], f"{code}: in time: make or divide a context: rank 3 ")

    def test_a_first_create_of_some_ranks_tells_all_hosts(self):
        self.expect_told(["some", "2"], [0, 2], RANK_3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
