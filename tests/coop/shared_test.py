# SPDX-License-Identifier: BSD-3-Clause
"""Windows, files and two groups where waits sleep: a program that checks each value that it gets."""
import os
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs

ROUNDS = os.environ["COMITY_ROUNDS"]


class Shared(Jobs):
    def test_each_value_is_what_was_given(self):
        code, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM, ROUNDS, os.path.join(self.folder, "written"))
        self.assertEqual(code, 0, said + complaints)
        self.assertRegex(said, r"^shared: [1-9]\d* values\n$")
        self.expect_cooperative(complaints)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
