# SPDX-License-Identifier: BSD-3-Clause
"""What find_package says where it cannot give what was asked for: which component, where it looked, what to do."""
import unittest

from asking import Asking
from installed import MPIS


class Components(Asking):
    def test_a_component_that_was_not_built_is_named_with_those_that_are_there(self):
        self.assert_refused("component mpihc: it was not built, or is not installed, in", "REQUIRED COMPONENTS mpihc")
        names = ", ".join(sorted(MPIS)) or "none"
        self.assert_refused(f"there: {names}.", "REQUIRED COMPONENTS mpihc")

    def test_a_component_that_is_not_required_is_not_found_and_nothing_else_happens(self):
        code, said = self.configure("REQUIRED OPTIONAL_COMPONENTS mpihc")
        self.assertEqual(code, 0, said)
        self.assertIn("comity=1 mpihc=FALSE", said)

    def test_a_package_that_is_not_required_is_not_found_and_says_why(self):
        code, said = self.configure("COMPONENTS mpihc")
        self.assertEqual(code, 0, said)
        self.assertIn("comity=0", said)
        self.assertIn("component mpihc", said)

    def test_a_version_that_is_not_this_one_is_refused(self):
        self.assert_refused("compatible with requested version", "0.99 REQUIRED")

    def test_finding_it_twice_is_finding_it_once(self):
        code, said = self.configure(f"REQUIRED COMPONENTS {' '.join(MPIS)}",
                                    after=f"find_package(comity REQUIRED COMPONENTS {' '.join(MPIS)})")
        self.assertEqual(code, 0, said)


if __name__ == "__main__":
    unittest.main()
