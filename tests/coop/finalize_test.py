# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits in MPI_Finalize for one that takes no part sleeps inside the library's call."""
import os
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs

AT = LAUNCH.index("-n")
LAUNCHER = LAUNCH[:AT] + LAUNCH[AT + 2:]
SLEEPS_INSIDE = os.environ["COMITY_MPI"] == "openmpi"
LONG_US = 300000


class Finalize(Jobs):
    def test_it_gives_its_processor_away(self):
        line = [*LAUNCHER, "-n", "1", PROGRAM, ":", "-n", "1", "env", "-u", "LD_PRELOAD", PROGRAM]
        code, said, complaints = self.run_job(*SLEEPING, *line)
        self.assertEqual(code, 0, said + complaints)
        self.assertNotIn("[coop]", complaints)
        for wall_us, cpu_us in (map(float, row.split()[1:]) for row in said.splitlines()):
            if wall_us > LONG_US and SLEEPS_INSIDE:
                self.assertLess(cpu_us, wall_us / 4, said)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
