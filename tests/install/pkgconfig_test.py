# SPDX-License-Identifier: BSD-3-Clause
"""An outside program is built with the words of pkg-config alone, by a plain compiler, and runs with two ranks."""
import unittest

from installed import FORTRAN, FORTRAN_MPIS, LANGUAGES, LIBRARIES, MPIS, OUTSIDE, TREE, VERSION, assert_two_ranks, folder_of, must, run, \
    starts_early


def ask(*words):
    return must("pkg-config", *words, PKG_CONFIG_PATH=str(LIBRARIES / "pkgconfig")).split()


class PkgConfig(unittest.TestCase):
    def build(self, package, source):
        """The program of outside/, as a line of a Makefile would make it."""
        program = folder_of(self) / "program"
        compiler = {**LANGUAGES, "f90": FORTRAN}[source.suffix[1:]]
        must(compiler, "-Wall", "-Wextra", "-Werror", source, "-o", program, *ask("--cflags", "--libs", package))
        return program

    def assert_calls_enter_no_library_before_that_of_c(self, program):
        elsewhere = must("nm", "-D", "--undefined-only", program)
        self.assertIn(" comity_", elsewhere)
        self.assertNotIn("__comity_without_mpi_", elsewhere)

    def test_programs_in_c_and_in_cpp_are_built_and_run(self):
        mpi, = MPIS
        for language in LANGUAGES:
            program = self.build(f"comity_mpi-{mpi}", OUTSIDE / f"ranks.{language}")
            assert_two_ranks(self, mpi, language, program, LD_LIBRARY_PATH=str(LIBRARIES))

    @unittest.skipUnless(MPIS[0] in FORTRAN_MPIS, "NOT TESTED: it needs a Fortran compiler and the MPI's modules")
    def test_programs_in_fortran_are_built_and_run(self):
        mpi, = MPIS
        program = self.build(f"comity_fortran-{mpi}", OUTSIDE / "fortran/ranks.f90")
        self.assert_calls_enter_no_library_before_that_of_c(program)
        assert_two_ranks(self, mpi, "fortran", program, LD_LIBRARY_PATH=str(LIBRARIES))
        for package, source, words in (("comity_fortran", "alone", "^alone: 1 rank, comity "),
                                       ("comity_fortran-sched", "tasks", "^tasks: 1000 counted$"),
                                       ("comity_fortran-record", "record", "^record: refused with COMITY_ERR_NOT_FOUND$")):
            program = self.build(package, OUTSIDE / f"fortran/{source}.f90")
            self.assert_calls_enter_no_library_before_that_of_c(program)
            self.assertRegex(must(program, LD_LIBRARY_PATH=str(LIBRARIES)), words)

    def test_a_program_without_mpi_is_built_and_runs(self):
        program = self.build("comity", OUTSIDE / "alone.c")
        self.assertRegex(must(program, LD_LIBRARY_PATH=str(LIBRARIES)), "^alone: 1 rank, comity ")

    def test_a_program_with_tasks_is_built_and_runs(self):
        program = self.build("comity_sched", OUTSIDE / "tasks.c")
        self.assertEqual(must(program, LD_LIBRARY_PATH=str(LIBRARIES)), "tasks: 1000 counted\n")

    def test_a_program_that_reads_records_is_built_and_runs(self):
        program = self.build("comity_record", OUTSIDE / "record.cpp")
        self.assertEqual(must(program, folder_of(self), LD_LIBRARY_PATH=str(LIBRARIES)),
                         "record: refused with COMITY_ERR_NOT_FOUND\n")

    def test_the_start_up_object_is_taken_from_its_archive(self):
        program = self.build("comity_start", OUTSIDE / "alone.c")
        self.assertTrue(starts_early(program))
        self.assertRegex(must(program, LD_LIBRARY_PATH=str(LIBRARIES)), "^alone: 1 rank, comity ")

    def test_the_version_is_that_of_the_headers(self):
        self.assertEqual(ask("--modversion", "comity"), [VERSION])
        self.assertIn(f'#define COMITY_VERSION_STRING "{VERSION}"',
                      (TREE / "include/comity/version.h").read_text(encoding="utf-8"))

    def test_the_header_of_another_mpi_is_refused(self):
        mpi, = MPIS
        theirs = folder_of(self) / "mpi.h"
        mark = "#define OPEN_MPI 1\n" if mpi == "mpich" else ""
        theirs.write_text("typedef int MPI_Comm;\n" + mark, encoding="utf-8")
        done = run(LANGUAGES["c"], "-fsyntax-only", f"-I{theirs.parent}", *ask("--cflags", f"comity_mpi-{mpi}"),
                   OUTSIDE / "ranks.c")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("#error \"comity: this is built for ", done.stdout)


if __name__ == "__main__":
    unittest.main()
