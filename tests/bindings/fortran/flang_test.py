# SPDX-License-Identifier: BSD-3-Clause
"""A second compiler, LLVM's flang, takes the modules and the programs that use them without MPI, without a warning. Not: running
them. MPIs here have no modules for it, so mpi_f08 is one of its names, and programs that call MPI cannot be read."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

FLANG = os.environ["FLANG"]
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SOURCES = ROOT / "bindings/fortran"
MODULE = Path(os.environ["MODULE"])
BESIDE = [MODULE.with_name(f"{name}.f90") for name in ("comity_sched", "comity_records")]
MPI = """module mpi_f08
  type, bind(C) :: MPI_Comm
    integer :: MPI_VAL
  end type MPI_Comm
  type, bind(C) :: MPI_Group
    integer :: MPI_VAL
  end type MPI_Group
end module mpi_f08
"""


@unittest.skipUnless(FLANG, "NOT TESTED: there is no flang (Debian: flang-16)")
class Flang(unittest.TestCase):
    def said_of(self, *sources):
        """All that it says of these files, one after the other."""
        folder = tempfile.TemporaryDirectory(prefix="comity-flang-")
        self.addCleanup(folder.cleanup)
        mpi = Path(folder.name) / "mpi_f08.f90"
        mpi.write_text(MPI, encoding="utf-8")
        said = ""
        for source in (mpi, *sources):
            done = subprocess.run([FLANG, "-fsyntax-only", "-pedantic", source], cwd=folder.name, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            said += done.stdout
            self.assertEqual(done.returncode, 0, done.stdout)
        return said

    def test_takes_the_modules_and_a_program(self):
        self.assertEqual(self.said_of(MODULE, SOURCES / "comity.f90", HERE / "expecting.f90", HERE / "alone_test.f90"), "")

    def test_takes_a_program_with_communicators(self):
        loops = [ROOT / "bench/fortran" / name for name in ("calls.f90", "communicators.f90")]
        self.assertEqual(self.said_of(MODULE, SOURCES / "comity.f90", *loops), "")

    def test_takes_the_module_of_quo(self):
        self.assertEqual(self.said_of(ROOT / "src/compat/quo/quo.f90"), "")

    def test_takes_all_other_programs_without_mpi(self):
        for program in (HERE / "failing.f90", ROOT / "bench/fortran/calls.f90"):
            with self.subTest(program=program.name):
                self.assertEqual(self.said_of(MODULE, program), "")

    def test_takes_the_modules_of_the_libraries_beside_and_programs(self):
        programs = [ROOT / "examples/tasks.f90", HERE / "expecting.f90", HERE / "sched_test.f90", HERE / "records_program.f90"]
        self.assertEqual(self.said_of(MODULE, *BESIDE, *programs), "")


if __name__ == "__main__":
    unittest.main()
