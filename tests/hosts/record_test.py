# SPDX-License-Identifier: BSD-3-Clause
"""The record of a job on two hosts: it tells what only the launcher's host can see, and compares clocks over the network. The
hosts are emulated on one kernel, so the true offset of their clocks is 0.
    record_test.py COMMAND PROGRAM LAUNCHER WORD.."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import hosts

COMMAND, PROGRAM, *LAUNCHER = sys.argv[1:]


def setUpModule():
    hosts.require()


class Record(unittest.TestCase):
    def test_a_rank_on_another_host_knows_the_launcher_and_how_far_its_clock_is(self):
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:  # which hosts share
            record = os.path.join(folder, "out")
            status, output = hosts.run([COMMAND, "run", "--record", record, "--", *LAUNCHER, PROGRAM])
            hosts.assert_ended(self, LAUNCHER, status, output)
            run = subprocess.run([COMMAND, "report", "--json", record], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr + output)
        told = json.loads(run.stdout)["run"]
        first, other = told["facts"], told["facts_of_ranks"]["1"]
        self.assertEqual((first["host"], other["host"]), ("host1", "host2"))
        self.assertEqual(first["launcher"], " ".join([*LAUNCHER, PROGRAM]))
        self.assertNotIn("launcher", other, "it is the same")
        other = {**first, **other}  # an offset may be 0, as the first rank's is
        for moment in "begin", "end":
            offset, error = (int(other[f"clock_offset_{moment}_{what}"]) for what in ("ns", "error_ns"))
            self.assertGreater(error, 0)
            self.assertLessEqual(abs(offset), error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
