# SPDX-License-Identifier: BSD-3-Clause
"""Both MPIs in one project: its programs run each with its own; and what find_package says where one MPI's part is gone or is
asked for with the other's compiler."""
import shutil
import unittest

from asking import Asking
from installed import COMPONENTS, FORTRAN_MPIS, LANGUAGES, LIBRARIES, MPIS, OUTSIDE, TREE, assert_two_ranks, folder_of, must


@unittest.skipIf(len(MPIS) < 2, "NOT TESTED: it needs two MPIs")
class TwoMpis(Asking):
    def test_programs_of_one_project_run_each_with_its_own_mpi(self):
        build = folder_of(self)
        must("cmake", "-S", OUTSIDE, "-B", build, "-G", "Ninja", f"-DMPIS={';'.join(MPIS)}", f"-DCMAKE_PREFIX_PATH={TREE}",
             f"-DCMAKE_C_COMPILER={LANGUAGES['c']}", f"-DCMAKE_CXX_COMPILER={LANGUAGES['cpp']}")
        names = {(mpi, language): f"outside_{language}-{mpi}" for mpi in MPIS for language in LANGUAGES}
        must("cmake", "--build", build, "--target", *names.values())
        for (mpi, language), name in names.items():
            assert_two_ranks(self, mpi, language, build / name)

    def test_a_tree_without_one_mpis_files_lacks_that_component_alone(self):
        copy = folder_of(self) / "comity"
        shutil.copytree(TREE, copy, symlinks=True)
        gone, kept = MPIS[0], MPIS[1]
        names = ", ".join(name for name in COMPONENTS if name != gone)
        for path in (copy / LIBRARIES.relative_to(TREE) / "cmake/comity").glob(f"comity-{gone}-*"):
            path.unlink()
        self.assert_refused(f"component {gone}: it was not built, or is not installed, in {copy}; there: {names}.",
                            f"REQUIRED COMPONENTS {gone}", tree=copy)
        if gone in FORTRAN_MPIS:
            self.assert_refused(f"component fortran-{gone}: it stands on {gone} and fortran.",
                                f"REQUIRED COMPONENTS fortran-{gone}", tree=copy)
        code, said = self.configure(f"REQUIRED COMPONENTS {kept}", tree=copy)
        self.assertEqual(code, 0, said)

    def test_a_compiler_of_another_mpi_is_refused(self):
        for mpi, other in zip(MPIS, MPIS[1:] + MPIS[:1]):
            before = f"find_program(other mpicc.{other} REQUIRED)\nset(COMITY_MPICC_{mpi} ${{other}})"
            for sentence in (f"component {mpi}: ", f"set COMITY_MPICC_{mpi} to the right compiler"):
                self.assert_refused(sentence, f"REQUIRED COMPONENTS {mpi}", before=before)

    @unittest.skipIf(len(FORTRAN_MPIS) < 2, "NOT TESTED: it needs a Fortran compiler and two MPIs with modules for it")
    def test_a_compiler_of_fortran_of_another_mpi_is_refused(self):
        for mpi, other in zip(FORTRAN_MPIS, FORTRAN_MPIS[1:] + FORTRAN_MPIS[:1]):
            before = f"find_program(other mpifort.{other} REQUIRED)\nset(COMITY_MPIFORT_{mpi} ${{other}})"
            for sentence in (f"component fortran-{mpi}: ", f"set COMITY_MPIFORT_{mpi} to the right compiler"):
                self.assert_refused(sentence, f"REQUIRED COMPONENTS fortran-{mpi}", before=before)


if __name__ == "__main__":
    unittest.main()
