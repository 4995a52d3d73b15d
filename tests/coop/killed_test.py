# SPDX-License-Identifier: BSD-3-Clause
"""A rank is killed while the others sleep: the launcher ends the job as it does where they spin, and nothing stays behind."""
import os
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs

CASE = os.environ["COMITY_CASES"]


class Killed(Jobs):
    def test_the_launcher_ends_the_job(self):
        bare, _, _ = self.run_job(*LAUNCH, PROGRAM, CASE)
        code, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM, CASE)
        self.expect_cooperative(complaints, but="of the group died")
        self.assertNotEqual(code, 0, complaints)
        self.assertEqual(code, bare, complaints)
        self.assertEqual(said.splitlines()[0], CASE, complaints)  # MPICH's launcher has more to say
        self.assertNotIn("done", said.splitlines())
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
