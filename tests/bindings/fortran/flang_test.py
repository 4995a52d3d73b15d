# SPDX-License-Identifier: BSD-3-Clause
"""A second compiler, LLVM's flang, takes the modules and every program of the tree that calls no MPI, without a warning. Not:
running them. MPIs here have no modules for it, so mpi_f08 is one of its names, and programs that call MPI cannot be read."""
import graphlib
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

FLANG = os.environ["FLANG"]
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDERS = [ROOT / name for name in ("apps", "bench", "examples", "src", "tests")]
# Modules of an MPI, and ours that use one.
OF_MPI = {"mpi", "mpi_f08", "comity", "quo"}
USED = re.compile(r"^\s*use\b(?:\s*,\s*(?:non_)?intrinsic)?(?:\s*::)?\s*(\w+)", re.IGNORECASE | re.MULTILINE)
DEFINED = re.compile(r"^\s*module\s+(\w+)\s*$", re.IGNORECASE | re.MULTILINE)
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


def names(pattern, source):
    return {name.lower() for name in pattern.findall(source.read_text(encoding="utf-8"))}


def without_mpi():
    """Found, not listed, so that no new program is forgotten. Templates are no Fortran yet: what they become is given by name."""
    sources = [source for folder in FOLDERS for source in sorted(folder.rglob("*.f90"))]
    return [source for source in sources if not names(USED, source) & OF_MPI]


def after_what_they_use(sources):
    """Two programs may have a module of one name: each uses its own."""
    defines = {module: source for source in sources for module in names(DEFINED, source)}
    uses = {source: {defines[module] for module in names(USED, source) - names(DEFINED, source) if module in defines}
            for source in sources}
    return list(graphlib.TopologicalSorter(uses).static_order())


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

    def test_takes_the_module_of_communicators_and_a_program(self):
        loops = [ROOT / "bench/fortran" / name for name in ("calls.f90", "communicators.f90")]
        self.assertEqual(self.said_of(MODULE, ROOT / "bindings/fortran/comity.f90", *loops), "")

    def test_takes_all_that_calls_no_mpi(self):
        found = without_mpi()
        for known in HERE / "alone_test.f90", ROOT / "bench/fortran/beside.f90", ROOT / "src/compat/quo/quo.f90":
            self.assertIn(known, found)
        self.assertEqual(self.said_of(MODULE, *BESIDE, *after_what_they_use(found)), "")


if __name__ == "__main__":
    unittest.main()
