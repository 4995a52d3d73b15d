# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits in MPI_Finalize for one of another host sleeps there.
    finalize_test.py COMMAND PROGRAM LAUNCHER..."""
import sys
import unittest

import hosts

COMMAND, PROGRAM, *LAUNCH = sys.argv[1:]
LONG_US = 300000


def setUpModule():
    hosts.require()


class Finalize(unittest.TestCase):
    def test_it_gives_its_processor_away(self):
        # MPICH may hang behind it (CONTRIBUTING.md): what it said counts.
        _, output = hosts.run([COMMAND, "run", "--coop", "on", "--", *LAUNCH, PROGRAM])
        rows = [tuple(map(float, row.split()[1:])) for row in output.splitlines() if row.startswith("finalize ")]
        if "mpich" not in " ".join(LAUNCH):
            self.assertEqual(len(rows), 1, output)
        for wall_us, cpu_us in rows:
            if wall_us > LONG_US:
                self.assertLess(cpu_us, wall_us / 4, output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
