# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages: what each holds and needs, and that a tree unpacked from them works."""
import gzip
import os
import unittest
from pathlib import Path

from installed import BUILD, FORTRAN, FORTRAN_MPIS, LANGUAGES, LIBRARIES, MPIS, SONAME, TREE, VERSION, folder_of, must, run

FOLDER = Path(os.environ["PACKAGE_FOLDER"])
LIBRARY_FOLDER = LIBRARIES.relative_to(TREE)
LIBRARY_OF_MPI = {"openmpi": "libopenmpi", "mpich": "libmpich"}
PROJECT = """cmake_minimum_required(VERSION 3.21)
project(asking LANGUAGES C)
find_package(comity REQUIRED COMPONENTS {mpi} mpihc)
"""


def library_package(mpi):
    return f"libcomity-mpi-{mpi}{SONAME}"


def file_of(package):
    found, = FOLDER.glob(f"*/{package}_{VERSION}-*.deb")
    return found


def needs(package):
    """{package: the version with its sign, or ""} of the Depends line."""
    words = [word.strip().split(" ", 1) for word in must("dpkg-deb", "-f", file_of(package), "Depends").split(",")]
    return {word[0]: (word[1] if len(word) > 1 else "") for word in words}


def files_in(package):
    """Its files, without the documentation that every package has."""
    lines = [line.split() for line in must("dpkg-deb", "-c", file_of(package)).splitlines()]
    names = [words[5].lstrip(".") for words in lines if words[0][0] != "d"]
    return {name for name in names if not name.startswith("/usr/share/doc/")}


class Packages(unittest.TestCase):
    def unpacked(self, *packages):
        """The prefix of a tree that holds these packages."""
        root = folder_of(self)
        for package in packages:
            must("dpkg-deb", "-x", file_of(package), root)
        return root / "usr"

    def names(self):
        return {path.name.split("_")[0] for path in FOLDER.glob("*/*.deb")}

    def test_there_are_those_of_the_library_of_the_command_and_of_each_mpi(self):
        expected = {f"libcomity{SONAME}", "libcomity-dev", "comity", f"libcomity-sched{SONAME}", "libcomity-sched-dev",
                    f"libcomity-record{SONAME}", "libcomity-record-dev"}
        for mpi in MPIS:
            expected |= {library_package(mpi), f"libcomity-{mpi}-dev", f"comity-preload-{mpi}", f"comity-quo-{mpi}"}
            if (BUILD / f"bin/bench-quiesce-{mpi}").exists():
                expected.add(f"comity-bench-{mpi}")
        if FORTRAN:
            expected |= {"libcomity-fortran-dev", "libcomity-fortran-record-dev", "libcomity-fortran-sched-dev"}
        for mpi in FORTRAN_MPIS:
            expected |= {f"libcomity-fortran-{mpi}{SONAME}", f"libcomity-fortran-{mpi}-dev"}
        self.assertEqual(self.names(), expected)

    def test_every_installed_file_is_in_one_package(self):
        packed = [name for package in self.names() for name in files_in(package)]
        self.assertEqual(len(packed), len(set(packed)))
        documents = TREE / "share/doc"
        ours = {"/usr/" + str(path.relative_to(TREE)) for path in TREE.rglob("*")
                if (path.is_symlink() or path.is_file()) and documents not in path.parents}
        pages = {name + ".gz" for name in ours if "/share/man/" in name}
        self.assertEqual(set(packed), {name for name in ours if "/share/man/" not in name} | pages)

    def test_needs_of_libraries_are_read_from_their_files(self):
        self.assertIn("libhwloc15", needs(f"libcomity{SONAME}"))
        self.assertEqual([name for name in needs(f"libcomity{SONAME}") if "mpi" in name], [])

    def test_who_uses_one_mpi_does_not_get_the_other(self):
        for mpi in MPIS:
            for package in (library_package(mpi), f"libcomity-{mpi}-dev", f"comity-preload-{mpi}", f"comity-quo-{mpi}"):
                others = [name for name in needs(package) if "mpi" in name and mpi not in name]
                self.assertEqual(others, [], package)
            for package in (f"libcomity-fortran-{mpi}{SONAME}", f"libcomity-fortran-{mpi}-dev") if mpi in FORTRAN_MPIS else ():
                self.assertEqual([name for name in needs(package) if "mpi" in name and mpi not in name], [], package)
            self.assertTrue(any(name.startswith(LIBRARY_OF_MPI[mpi]) for name in needs(library_package(mpi))))

    def test_packages_of_one_build_go_together(self):
        version = must("dpkg-deb", "-f", file_of("comity"), "Version").strip()
        self.assertEqual(needs("libcomity-dev"), {f"libcomity{SONAME}": f"(= {version})"})
        for part in ("sched", "record"):
            self.assertEqual(needs(f"libcomity-{part}-dev")["libcomity-dev"], f"(= {version})")
            self.assertEqual(needs(f"libcomity-{part}{SONAME}")[f"libcomity{SONAME}"], f"(= {version})")
            if FORTRAN:
                self.assertEqual(needs(f"libcomity-fortran-{part}-dev"),
                                 {name: f"(= {version})" for name in ("libcomity-fortran-dev", f"libcomity-{part}-dev")})
        for mpi in MPIS:
            self.assertEqual(needs(library_package(mpi))[f"libcomity{SONAME}"], f"(= {version})")
            self.assertEqual(needs(f"libcomity-{mpi}-dev")["libcomity-dev"], f"(= {version})")
            self.assertEqual(needs(f"comity-preload-{mpi}")["comity"], f"(= {version})")
            if (BUILD / f"bin/bench-quiesce-{mpi}").exists():
                self.assertEqual(needs(f"comity-bench-{mpi}")[f"comity-preload-{mpi}"], f"(= {version})")
                for library in f"libcomity-fortran-{mpi}", "libcomity-sched", "libcomity-record":
                    self.assertEqual(f"{library}{SONAME}" in needs(f"comity-bench-{mpi}"), mpi in FORTRAN_MPIS, library)

    def test_each_has_its_copyright_and_its_changelog(self):
        for package in self.names():
            documents = self.unpacked(package) / "share/doc" / package
            self.assertIn("Redistribution and use", (documents / "copyright").read_text(encoding="utf-8"))
            with gzip.open(documents / "changelog.Debian.gz", "rt", encoding="utf-8") as changelog:
                self.assertTrue(changelog.readline().startswith(f"comity ({VERSION}-"))

    def test_libraries_have_the_loaders_cache_renewed(self):
        for package in (f"libcomity{SONAME}", *(library_package(mpi) for mpi in MPIS)):
            self.assertIn("ldconfig", must("dpkg-deb", "-I", file_of(package), "triggers"))
            self.assertIn(f"{SONAME} {package} (>= ", must("dpkg-deb", "-I", file_of(package), "shlibs"))

    def test_the_command_works_from_its_package_alone(self):
        self.assertEqual(must(self.unpacked("comity") / "bin/comity", "--version"), f"comity {VERSION}\n")

    def test_the_command_finds_the_library_to_preload_in_its_package(self):
        for mpi in MPIS:
            prefix = self.unpacked("comity", f"comity-preload-{mpi}")
            preload = prefix / LIBRARY_FOLDER / f"libcomity_preload-{mpi}.so"
            self.assertIn(f"LD_PRELOAD={preload}", must(prefix / "bin/comity", "run", "--mpi", mpi, "--dry-run", "--", "sh"))

    def test_the_command_names_the_package_of_a_library_that_is_not_there(self):
        for mpi in MPIS:
            done = run(self.unpacked("comity") / "bin/comity", "run", "--mpi", mpi, "--", "sh")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"install it (Debian: comity-preload-{mpi})", done.stdout)

    def test_a_package_that_is_not_installed_is_a_component_that_is_not_there(self):
        mpi = MPIS[0]
        packages = [f"libcomity{SONAME}", "libcomity-dev", library_package(mpi), f"libcomity-{mpi}-dev"]
        prefix = self.unpacked(*packages)
        project = folder_of(self)
        (project / "CMakeLists.txt").write_text(PROJECT.format(mpi=mpi), encoding="utf-8")
        done = run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja",
                   f"-DCMAKE_C_COMPILER={LANGUAGES['c']}",
                   f"-Dcomity_DIR={prefix / LIBRARY_FOLDER / 'cmake/comity'}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"there: {mpi}.", " ".join(done.stdout.split()))


if __name__ == "__main__":
    unittest.main()
