# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits in MPI_Finalize for one that takes no part sleeps inside the library's call."""
import os
import subprocess
import unittest

from sleeping import LAUNCH, PROGRAM, RANKS, SLEEPING, Jobs

AT = LAUNCH.index("-n")
LAUNCHER = LAUNCH[:AT] + LAUNCH[AT + 2:]
LONG_US = 300000  # the other one is 600 ms late, unless this one is too
RUNS = 5


def sleeps_inside():
    """An MPICH does where it stands on UCX."""
    needs = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    return "libmpich" not in needs or "libucp" in needs


class Finalize(Jobs):
    def waits(self):
        """(how long, how much of a processor it used meanwhile [us]) of each rank that takes part."""
        line = [*LAUNCHER, "-n", str(RANKS - 1), PROGRAM, ":", "-n", "1", "env", "-u", "LD_PRELOAD", PROGRAM]
        code, said, complaints = self.run_job(*SLEEPING, *line)
        self.assertEqual(code, 0, said + complaints)
        self.expect_cooperative(complaints, part=RANKS - 1)
        return [tuple(map(float, row.split()[1:])) for row in said.splitlines()]

    def test_it_gives_its_processor_away(self):
        judged = []
        for _ in range(RUNS):
            judged = [wait for wait in self.waits() if wait[0] > LONG_US]
            if judged:
                break
        self.assertTrue(judged, f"no wait of {RUNS} was long enough to tell")
        for wall_us, cpu_us in judged:
            if sleeps_inside():
                self.assertLess(cpu_us, wall_us / 4)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
