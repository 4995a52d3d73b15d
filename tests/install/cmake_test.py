# SPDX-License-Identifier: BSD-3-Clause
"""An outside project finds the installed tree with find_package, and its programs run with two ranks."""
import unittest

from installed import ENVIRONMENT, FORTRAN, FORTRAN_MPIS, LANGUAGES, MPIS, OUTSIDE, TREE, assert_two_ranks, folder_of, must, starts_early


class FindPackage(unittest.TestCase):
    def test_programs_in_c_and_in_cpp_are_built_and_run(self):
        mpi, = MPIS
        build = folder_of(self)
        must("cmake", "-S", OUTSIDE, "-B", build, "-G", "Ninja", f"-DMPIS={mpi}", f"-DCMAKE_PREFIX_PATH={TREE}",
             f"-DCMAKE_C_COMPILER={LANGUAGES['c']}", f"-DCMAKE_CXX_COMPILER={LANGUAGES['cpp']}",
             "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        must("cmake", "--build", build)
        for language in LANGUAGES:
            assert_two_ranks(self, mpi, language, build / f"outside_{language}-{mpi}")
        self.assertRegex(must(build / "outside_alone"), "^alone: 1 rank, comity ")
        self.assertEqual(must(build / "outside_tasks"), "tasks: 1000 counted\n")
        self.assertEqual(must(build / "outside_record", folder_of(self)), "record: refused with COMITY_ERR_NOT_FOUND\n")
        self.assertRegex(must(build / "outside_start"), "^alone: 1 rank, comity ")
        self.assertEqual([starts_early(build / name) for name in ("outside_alone", "outside_start")], [False, True])
        self.assertNotIn("LD_LIBRARY_PATH", ENVIRONMENT)

    @unittest.skipUnless(MPIS[0] in FORTRAN_MPIS, "NOT TESTED: it needs a Fortran compiler and the MPI's modules")
    def test_programs_in_fortran_alone_are_built_and_run(self):
        mpi, = MPIS
        build = folder_of(self)
        must("cmake", "-S", OUTSIDE / "fortran", "-B", build, "-G", "Ninja", f"-DMPIS={mpi}", f"-DCMAKE_PREFIX_PATH={TREE}",
             f"-DCMAKE_Fortran_COMPILER={FORTRAN}", "-DCMAKE_Fortran_FLAGS=-Wall -Wextra -Werror")
        must("cmake", "--build", build)
        assert_two_ranks(self, mpi, "fortran", build / f"outside_fortran-{mpi}")
        self.assertRegex(must(build / "outside_alone"), "^alone: 1 rank, comity ")
        self.assertEqual(must(build / "outside_tasks"), "tasks: 1000 counted\n")
        self.assertEqual(must(build / "outside_record"), "record: refused with COMITY_ERR_NOT_FOUND\n")


if __name__ == "__main__":
    unittest.main()
