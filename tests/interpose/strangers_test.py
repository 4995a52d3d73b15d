# SPDX-License-Identifier: BSD-3-Clause
"""Programs that have nothing to do with MPI, in a job whose processes all load the witness."""
import os
import subprocess
import unittest

from witnessed import witness


class Strangers(unittest.TestCase):
    def test_a_program_without_mpi_is_left_alone(self):
        done = subprocess.run(["/bin/sh", "-c", "exit 3"], env={**os.environ, "LD_PRELOAD": witness()}, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "", ""))


if __name__ == "__main__":
    unittest.main()
