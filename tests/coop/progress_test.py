# SPDX-License-Identifier: BSD-3-Clause
"""No program that ends without sleeping waits hangs with them."""
import os
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs

CASES = os.environ["COMITY_CASES"].split(",")

LESS_PROVIDED = "less provided"


class Progress(Jobs):
    def test_what_ends_without_ends_with_them(self):
        code, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM, *CASES)
        if LESS_PROVIDED in said.splitlines():
            self.skipTest(f"NOT TESTED: this MPI was built for less than {CASES[0]} threads")
        self.assertEqual(code, 0, said + complaints)
        self.assertEqual(said.split(), [*CASES, "done"], complaints)
        self.expect_cooperative(complaints)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
