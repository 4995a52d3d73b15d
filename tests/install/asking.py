# SPDX-License-Identifier: BSD-3-Clause
"""A project that asks for components of the package, and what CMake answers."""
import unittest

from installed import LANGUAGES, TREE, folder_of, run

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


class Asking(unittest.TestCase):
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
