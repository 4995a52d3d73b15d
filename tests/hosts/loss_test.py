# SPDX-License-Identifier: BSD-3-Clause
"""A rank ends before a create, or a division, of a job of two ranks on each of two hosts, whose launcher lets the others go on.
    loss_test.py LAUNCHER WORD... PROGRAM
Judged by what the ranks say; who is not told waits in MPI for ever, and is ended with the hosts."""
import shlex
import sys
import unittest

import hosts

PATIENCE_S = 40
FIRST = 'COMITY_ERR_PEER_LOST: make or divide a context: a rank of this job has ended'
LATER = 'COMITY_ERR_PEER_LOST: make or divide a context: rank 3 of MPI_COMM_WORLD has ended'


def setUpModule():
    hosts.require()


def told(call, wanted):
    """The ranks that say so, once as many have as `wanted` or patience is at its end; and all output."""
    job = shlex.join([*sys.argv[1:], call])
    script = f"""
cd $(mktemp -d)
: >said
{job} >>said 2>&1 &
for attempt in $(seq {PATIENCE_S}0); do
  [ $(grep -c COMITY_ERR said) -lt {wanted} ] || break
  sleep 0.1
done
sleep 0.3  # for who says more than is wanted
cat said
kill -9 $!
"""
    _, output = hosts.run_script(script, "--slots", "2")
    return {line.partition(":")[0]: line.partition(": ")[2] for line in output.splitlines()
            if line.startswith("rank ")}, output


class Loss(unittest.TestCase):
    def test_all_hosts_are_told_by_the_one_that_has_lost(self):
        said, output = told("later", 3)
        self.assertEqual(sorted(said), ["rank 0", "rank 1", "rank 2"], output)
        for sentence in said.values():
            self.assertTrue(sentence.startswith(LATER), output)

    def test_a_division_tells_all_hosts(self):
        said, output = told("divide", 3)
        self.assertEqual(sorted(said), ["rank 0", "rank 1", "rank 2"], output)
        for sentence in said.values():
            self.assertTrue(sentence.startswith("COMITY_ERR_PEER_LOST"), output)

    def test_a_first_create_tells_the_host_that_has_lost(self):
        said, output = told("first", 1)
        self.assertEqual(list(said), ["rank 2"], output)
        self.assertTrue(said["rank 2"].startswith(FIRST), output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
