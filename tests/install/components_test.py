# SPDX-License-Identifier: BSD-3-Clause
"""What find_package says where it cannot give what was asked for: which component, where it looked, what to do."""
import shutil
import unittest

from installed import LANGUAGES, LIBRARIES, MPIS, TREE, folder_of, run

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(asking LANGUAGES C)
{before}
find_package(comity {words})
message(STATUS "comity=${{comity_FOUND}} mpihc=${{comity_mpihc_FOUND}}")
{after}
"""


def flat(text):
    """CMake wraps its messages; a sentence is compared without its line ends."""
    return " ".join(text.split())


class Components(unittest.TestCase):
    def configure(self, words, tree=TREE, before="", after=""):
        folder = folder_of(self)
        project = PROJECT.format(words=words, before=before, after=after)
        (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
        done = run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={tree}",
                   f"-DCMAKE_C_COMPILER={LANGUAGES['c']}")
        return done.returncode, flat(done.stdout)

    def assert_refused(self, sentence, *arguments, **settings):
        code, said = self.configure(*arguments, **settings)
        self.assertNotEqual(code, 0, said)
        self.assertIn(flat(sentence), said)

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

    def test_a_tree_without_one_mpis_files_lacks_that_component_alone(self):
        if len(MPIS) < 2:
            self.skipTest("one MPI: none to take away")
        copy = folder_of(self) / "comity"
        shutil.copytree(TREE, copy, symlinks=True)
        gone, kept = MPIS[0], MPIS[1]
        for path in (copy / LIBRARIES.relative_to(TREE) / "cmake/comity").glob(f"comity-{gone}-*"):
            path.unlink()
        self.assert_refused(f"component {gone}: it was not built, or is not installed, in {copy}; there: {kept}.",
                            f"REQUIRED COMPONENTS {gone}", tree=copy)
        code, said = self.configure(f"REQUIRED COMPONENTS {kept}", tree=copy)
        self.assertEqual(code, 0, said)

    def test_a_compiler_of_another_mpi_is_refused(self):
        if len(MPIS) < 2:
            self.skipTest("one MPI: no other")
        for mpi, other in zip(MPIS, MPIS[1:] + MPIS[:1]):
            before = f"find_program(other mpicc.{other} REQUIRED)\nset(COMITY_MPICC_{mpi} ${{other}})"
            for sentence in (f"component {mpi}: ", f"set COMITY_MPICC_{mpi} to the right compiler"):
                self.assert_refused(sentence, f"REQUIRED COMPONENTS {mpi}", before=before)

    def test_finding_it_twice_is_finding_it_once(self):
        code, said = self.configure(f"REQUIRED COMPONENTS {' '.join(MPIS)}",
                                    after=f"find_package(comity REQUIRED COMPONENTS {' '.join(MPIS)})")
        self.assertEqual(code, 0, said)


if __name__ == "__main__":
    unittest.main()
