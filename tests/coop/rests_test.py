# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that rest with progress in a job whose waits are cooperative: the last one goes on when it has seen each of them sleep."""
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs


class Rests(Jobs):
    def test_they_sleep_and_get_their_messages(self):
        code, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM, "asleep")
        self.assertEqual(code, 0, said + complaints)
        self.expect_cooperative(complaints)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
