# SPDX-License-Identifier: BSD-3-Clause
"""`comity run` over hosts: the library and the settings reach ranks whose launcher's environment does not.
    run_test.py COMMAND RANK_PROGRAM LAUNCHER WORD.."""
import sys
import unittest

import hosts

COMMAND, PROGRAM, *LAUNCHER = sys.argv[1:]


def setUpModule():
    hosts.require()


class Run(unittest.TestCase):
    def test_a_rank_on_each_of_two_hosts_has_the_library_and_the_settings(self):
        status, output = hosts.run([COMMAND, "run", "--metrics", "--", *LAUNCHER, PROGRAM, "show", "COMITY_METRICS"])
        for rank in 0, 1:
            self.assertIn(f"rank {rank} COMITY_METRICS=on", output)
            self.assertIn(f"rank {rank} loaded=yes", output)
        self.assertIn(status, (0, None), output)  # MPICH 4.0 may hang there in MPI_Finalize


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
