# SPDX-License-Identifier: BSD-3-Clause
"""What the teams of GNU's OpenMP are, started on one CPU. LLVM's runtime counts CPUs again when it needs them."""
import unittest

from starting import OnOneCpu, start


class Team(OnOneCpu):
    def test_a_region_outside_of_phases_is_as_wide_as_the_binding(self):
        self.assertEqual(self.saw()["team"], 1)

    def test_the_users_own_width_stays(self):
        self.assertEqual(self.saw(OMP_NUM_THREADS="3")["team"], 3)

    def test_a_wide_team_seldom_sleeps_between_regions(self):
        self.assertLess(4 * self.saw(regions=2000)["sleeps"], self.saw("WITHOUT", regions=2000)["sleeps"])

    def test_a_team_that_will_sleep_is_warned_of_and_no_other(self):
        self.assertIn("sleeps at every barrier", start("WITHOUT", {self.cpu})[1])
        self.assertEqual(start("WITH", {self.cpu})[1], "")


if __name__ == "__main__":
    unittest.main()
