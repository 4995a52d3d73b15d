# SPDX-License-Identifier: BSD-3-Clause
"""Installs the build below a DESTDIR, and looks at what lies there. The other tests of this folder use the tree."""
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from installed import BUILD, DESTINATION, FORTRAN, FORTRAN_MODULES, FORTRAN_MPIS, LIBRARIES, MPIS, PREFIX, SONAME, SOURCE, TREE, \
    VERSION, must


def setUpModule():
    shutil.rmtree(DESTINATION, ignore_errors=True)
    must("cmake", "--install", BUILD, "--prefix", PREFIX, DESTDIR=str(DESTINATION))


def dynamic(path, tag):
    """The values of one tag of a program's dynamic section."""
    section = must("readelf", "-d", path)
    return re.findall(rf"\({tag}\).*\[(.*)\]", section)


def without_debug_information(path):
    """The bytes of a program or library as a package would hold it; debug information names sources, and may."""
    with tempfile.NamedTemporaryFile() as stripped:
        must("strip", "--strip-debug", "-o", stripped.name, path)
        return Path(stripped.name).read_bytes()


def names(content, path):
    """Whether a file's bytes have that path in them, not as a part of another one ("/comity" in "include/comity")."""
    return re.search(rb"(?:(?<=-[IL])|(?<![\w.-]))" + re.escape(bytes(path)) + rb"(?![\w-])", content) is not None


class Tree(unittest.TestCase):
    def libraries(self):
        names = ["libcomity.so", "libcomity_record.so", "libcomity_sched.so", *(f"libcomity_mpi-{mpi}.so" for mpi in MPIS)]
        return [LIBRARIES / name for name in (*names, *(f"libcomity_fortran-{mpi}.so" for mpi in FORTRAN_MPIS))]

    def test_nothing_is_put_outside_of_the_prefix(self):
        self.assertEqual([path.name for path in DESTINATION.iterdir()], [PREFIX.parts[1]])
        self.assertEqual([path.name for path in (DESTINATION / PREFIX.parts[1]).iterdir()], [PREFIX.parts[2]])

    def test_every_public_header_is_there_and_nothing_else(self):
        source = SOURCE / "include/comity"
        self.assertEqual(sorted(path.name for path in (TREE / "include/comity").iterdir()),
                         sorted(path.name for path in source.iterdir() if path.suffix in (".h", ".hpp")))

    def test_each_library_is_a_file_with_a_version_behind_its_soname(self):
        for link in self.libraries():
            self.assertEqual(link.resolve().name, f"{link.name}.{VERSION}")
            self.assertEqual((LIBRARIES / f"{link.name}.{SONAME}").resolve(), link.resolve())
            self.assertEqual(dynamic(link, "SONAME"), [f"{link.name}.{SONAME}"])

    @unittest.skipUnless(FORTRAN_MPIS, "NOT TESTED: it needs a Fortran compiler and an MPI")
    def test_fortran_for_an_mpi_keeps_its_copy_of_the_calls_to_itself(self):
        self.assertTrue((LIBRARIES / "libcomity_fortran.a").is_file())
        for mpi in FORTRAN_MPIS:
            offered = must("nm", "-D", "--defined-only", LIBRARIES / f"libcomity_fortran-{mpi}.so")
            self.assertIn(" __comity_MOD_", offered)
            self.assertNotIn("__comity_without_mpi_", offered)

    @unittest.skipUnless(FORTRAN, "NOT TESTED: it needs a Fortran compiler")
    def test_modules_stand_in_a_folder_that_names_the_compiler_and_their_sources_beside(self):
        modules = {path.relative_to(FORTRAN_MODULES).as_posix() for path in FORTRAN_MODULES.rglob("*.mod")}
        self.assertEqual(modules, {"comity_without_mpi.mod", "comity_records.mod", "comity_sched.mod",
                                   *(f"{mpi}/comity.mod" for mpi in FORTRAN_MPIS)})
        self.assertRegex(FORTRAN_MODULES.relative_to(LIBRARIES).as_posix(), r"^fortran/\w+-[\w.-]*\d/comity$")
        self.assertEqual(sorted(path.name for path in (TREE / "share/comity/fortran").iterdir()),
                         ["comity.f90", "comity_records.f90", "comity_sched.f90", "comity_without_mpi.f90", "communicators.c"])

    def preloads(self):
        return [*(LIBRARIES / f"libcomity_preload-{mpi}.so" for mpi in MPIS), LIBRARIES / "libcomity_memory.so"]

    def test_what_is_preloaded_stands_beside_the_libraries_and_is_found_by_the_command(self):
        for mpi, library in zip(MPIS, self.preloads()):
            self.assertTrue(library.is_file() and not library.is_symlink(), library)
            self.assertIn(f"LD_PRELOAD={library} ", must(TREE / "bin/comity", "run", "--mpi", mpi, "--dry-run", "--", "sh"))
        self.assertIn(f"LD_PRELOAD={LIBRARIES / 'libcomity_memory.so'}:",
                      must(TREE / "bin/comity", "run", "--memory", "--mpi", MPIS[0], "--dry-run", "--", "sh"))

    def test_no_library_and_no_command_says_where_to_look_for_libraries(self):
        for path in (*self.libraries(), *self.preloads(), TREE / "bin/comity"):
            self.assertEqual(dynamic(path, "RUNPATH") + dynamic(path, "RPATH"), [], path)

    def test_programs_of_benchmarks_look_for_libraries_from_where_they_are(self):
        for path in (TREE / "libexec/comity").glob("*"):
            for folder in dynamic(path, "RUNPATH"):
                self.assertTrue(folder.startswith("$ORIGIN/"), folder)

    def test_libquo_looks_for_libraries_from_where_it_is(self):
        for path in (LIBRARIES / "comity").glob("quo-*/*/*"):
            if path.is_file() and not path.is_symlink() and path.read_bytes().startswith(b"\x7fELF"):
                for folder in ":".join(dynamic(path, "RUNPATH")).split(":"):
                    self.assertTrue(folder == "" or folder.startswith("$ORIGIN"), path)

    def test_no_file_names_the_build_the_sources_or_the_prefix(self):
        for path in TREE.rglob("*"):
            if not path.is_file() or path.is_symlink():
                continue
            content = path.read_bytes()
            if content.startswith((b"\x7fELF", b"!<arch>")):
                content = without_debug_information(path)
            for foreign in (BUILD, SOURCE, PREFIX, DESTINATION):
                self.assertFalse(names(content, foreign), f"{path} names {foreign}")

    def test_a_path_is_found_where_a_file_names_it_and_nowhere_else(self):
        for text in (b"/opt/comity/lib", b"-I/opt/comity", b'"/opt/comity"', b"\0/opt/comity\0", b"prefix=/opt/comity\n"):
            self.assertTrue(names(text, PREFIX), text)
        for text in (b"include/opt/comity/x.h", b"/opt/comity-1/lib", b"https://x.org/opt/comity"):
            self.assertFalse(names(text, PREFIX), text)

    def test_the_command_works_where_it_is(self):
        self.assertEqual(must(TREE / "bin/comity", "--version"), f"comity {VERSION}\n")

    def test_every_manual_page_is_there(self):
        for page in must(TREE / "bin/comity", "--man").split():
            name = TREE / f"share/man/man{page[-1]}" / page
            self.assertEqual(name.read_text(encoding="utf-8"), must(TREE / "bin/comity", "--man", page))


if __name__ == "__main__":
    unittest.main()
