# SPDX-License-Identifier: BSD-3-Clause
"""What find_package says where it cannot give what was asked for: which component, where it looked, what to do."""
import unittest

from asking import Asking
from installed import COMPONENTS, FORTRAN, FORTRAN_MPIS


class Components(Asking):
    def test_a_component_that_was_not_built_is_named_with_those_that_are_there(self):
        self.assert_refused("component mpihc: it was not built, or is not installed, in", "REQUIRED COMPONENTS mpihc")
        names = ", ".join(COMPONENTS) or "none"
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
        words = f"REQUIRED COMPONENTS {' '.join(COMPONENTS)}"
        code, said = self.configure(words, after=f"find_package(comity {words})")
        self.assertEqual(code, 0, said)

    @unittest.skipUnless(FORTRAN_MPIS, "NOT TESTED: it needs a Fortran compiler and an MPI")
    def test_fortran_brings_what_it_stands_on(self):
        mpi = FORTRAN_MPIS[0]
        code, said = self.configure(f"REQUIRED COMPONENTS fortran-{mpi}",
                                    after=f'message(STATUS "${{comity_{mpi}_FOUND}} ${{comity_fortran_FOUND}} end")')
        self.assertEqual(code, 0, said)
        self.assertIn("TRUE TRUE end", said)

    @unittest.skipUnless(FORTRAN, "NOT TESTED: it needs a Fortran compiler")
    def test_fortran_of_a_library_beside_brings_that_library(self):
        code, said = self.configure("REQUIRED COMPONENTS fortran-sched fortran-record", after='message(STATUS '
                                    '"${comity_sched_FOUND} ${comity_record_FOUND} ${comity_fortran_FOUND} end")')
        self.assertEqual(code, 0, said)
        self.assertIn("TRUE TRUE TRUE end", said)

    @unittest.skipUnless(FORTRAN, "NOT TESTED: it needs a Fortran compiler")
    def test_a_compiler_that_cannot_read_the_modules_is_told_of_the_sources(self):
        self.assert_refused("cannot read; compile the sources in", "REQUIRED COMPONENTS fortran",
                            before="set(CMAKE_Fortran_COMPILER_ID Other)\nset(CMAKE_Fortran_COMPILER other)")


if __name__ == "__main__":
    unittest.main()
