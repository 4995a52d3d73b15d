# SPDX-License-Identifier: BSD-3-Clause
"""libquo in the installed tree: laid out as an installed libquo, so programs are built for it as ever, and run."""
import os
import unittest
from pathlib import Path

from installed import LIBRARIES, MPIS, OUTSIDE, TREE, folder_of, must, run

FORTRAN = OUTSIDE / "quo.f90"


def folder(mpi):
    return LIBRARIES / "comity" / f"quo-{mpi}"


def compiler(mpi, language):
    """Of an MPI, beside its compiler of C."""
    of_c = Path(os.environ[f"MPICC_{mpi}"])
    return of_c.with_name(of_c.name.replace("mpicc", {"c": "mpicc", "cpp": "mpicxx", "f90": "mpifort"}[language]))


def has_fortran(mpi):
    return (folder(mpi) / "lib/quo.mod").exists()


def info(mpi, *words):
    return must(folder(mpi) / "bin/quo-info", *words).split()


class Quo(unittest.TestCase):
    def build(self, mpi, source, words):
        program = folder_of(self) / "program"
        must(compiler(mpi, source.suffix[1:]), source, "-o", program, *words)
        return program

    def assert_runs(self, mpi, program, name):
        said = must(program, LD_LIBRARY_PATH=str(folder(mpi) / "lib"), OMPI_ALLOW_RUN_AS_ROOT="1",
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.assertIn(f"{name}: qid 0 of 1", said)

    def test_programs_in_c_and_cpp_are_built_with_quo_info_and_run(self):
        for mpi in MPIS:
            for suffix, language in (("c", "C"), ("cpp", "C++")):
                program = self.build(mpi, OUTSIDE / f"quo.{suffix}", info(mpi, "--cflags", "--libs", "--lang", language))
                self.assert_runs(mpi, program, suffix)

    def test_programs_in_c_are_built_with_pkg_config_and_run(self):
        for mpi in MPIS:
            words = must("pkg-config", "--cflags", "--libs", "libquo",
                         PKG_CONFIG_PATH=str(folder(mpi) / "lib/pkgconfig")).split()
            self.assert_runs(mpi, self.build(mpi, OUTSIDE / "quo.c", words), "c")

    def test_programs_in_fortran_are_built_with_quo_info_and_run(self):
        for mpi in filter(has_fortran, MPIS):
            program = self.build(mpi, FORTRAN, info(mpi, "--cflags", "--libs", "--lang", "Fortran"))
            self.assert_runs(mpi, program, "f90")

    def test_libraries_have_the_names_of_the_original(self):
        for mpi in MPIS:
            names = ["libquo"] + (["libquo-usequo"] if has_fortran(mpi) else [])
            for name in names:
                library = folder(mpi) / "lib" / f"{name}.so"
                self.assertEqual(library.resolve().name, f"{name}.so.8.0.0")
                self.assertIn(f"[{name}.so.8]", must("readelf", "-d", library))

    def test_the_folder_may_be_moved_with_the_tree(self):
        for mpi in MPIS:
            self.assertEqual(info(mpi, "--prefix"), [str(folder(mpi))])
            self.assertTrue(folder(mpi).is_relative_to(TREE))

    def test_quo_info_tells_each_part(self):
        for mpi in MPIS:
            where = folder(mpi)
            self.assertEqual(info(mpi, "--cflags-only-I"), [f"-I{where}/include"])
            self.assertEqual(info(mpi, "-libs-only-L"), [f"-L{where}/lib"])
            self.assertEqual(info(mpi, "--libs-only-l"), ["-lquo"])
            self.assertEqual(info(mpi, "--libs-only-l", "--lang", "c++"), ["-lquo"])
            self.assertEqual(info(mpi, "--libs-only-other"), [])
            if has_fortran(mpi):
                self.assertEqual(info(mpi, "--lang=fortran", "--libs"), [f"-L{where}/lib", "-lquo-usequo", "-lquo"])
                self.assertEqual(info(mpi, "--lang=fortran", "--cflags"), [f"-I{where}/lib"])
            self.assertIn("Version: 1.4.1", must(where / "bin/quo-info", "--config"))
            self.assertIn("usage: quo-info", must(where / "bin/quo-info", "--help"))

    def test_quo_info_refuses_what_it_does_not_know(self):
        for words in ((), ("--nothing",), ("word",), ("--lang", "Cobol", "--libs")):
            done = run(folder(MPIS[0]) / "bin/quo-info", *words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn("quo-info", done.stdout)


if __name__ == "__main__":
    unittest.main()
