# SPDX-License-Identifier: BSD-3-Clause
"""A job of two ranks on each of two hosts, with both hand-overs of the node segment; then nothing of it may be left.
    context_test.py LAUNCHER WORD... PROGRAM
Judged by what the ranks say: MPICH 4.0 may hang at its end between hosts, when all results are there."""
import shlex
import sys
import unittest

import hosts

JOB = [*sys.argv[1:], "2", "2"]
FINE = [f"rank {rank} on host{1 + rank // 2}: fine" for rank in range(4)]
PATIENCE_S = 20  # for one job

# Of each host, when its processes have had a moment to end: what is left in its shared memory, and of the job's
# processes.
SCRIPT = f"""
for way in auto file; do
  echo "by $way"
  COMITY_NODE_HANDOVER=$way timeout -k 1 {PATIENCE_S} {shlex.join(JOB)} 2>&1 || echo "status $?"
done
look='for attempt in 1 2 3 4 5 6 7 8 9 10; do
  left=$(cat /proc/[0-9]*/comm 2>/dev/null | grep ^test_hosts || true)
  [ "$left" ] || break
  sleep 0.2
done
echo left on $(hostname): $left $(ls /dev/shm | grep ^comity)'
for host in $EMULATED_HOSTS; do $EMULATED_HOSTS_AGENT $host "$look"; done
"""


def setUpModule():
    hosts.require()


class Context(unittest.TestCase):
    def test_what_is_a_nodes_ends_at_its_host(self):
        _, output = hosts.run_script(SCRIPT, "--slots", "2")
        self.assertNotIn("FAIL", output)
        auto, _, rest = output.partition("by file")
        file, _, left = rest.partition("left on")
        for way, said in (("auto", auto), ("file", file)):
            self.assertEqual(sorted(line for line in said.splitlines() if line.endswith(": fine")), FINE,
                             f"handed over by {way}:\n{output}")
        self.assertEqual(("left on" + left).split("\n"), ["left on host1:", "left on host2:", ""], output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
