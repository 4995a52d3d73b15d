# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe, read with the few names of Spack that it uses, each in the module where Spack 1 has it: what it hands to
CMake configures this tree. Not: whether Spack itself takes it, which is not here."""
import importlib.util
import os
import sys
import types
import unittest
from unittest import mock

from installed import FORTRAN_MPIS, LANGUAGES, MPIS, SOURCE, folder_of, must

RECIPE = SOURCE / "packaging/spack/spack_repo/comity/packages/comity/package.py"
DIRECTIVES = ("license", "version", "variant", "depends_on", "conflicts")  # of spack.package
OF_CMAKE = ("generator",)  # of the build system: spack.package does not export it


class CMakePackage:
    """What the recipe inherits: a -D word as Spack writes it."""

    @staticmethod
    def define(name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value}"


class Spec:
    """A concrete spec: the variants that are on, and its MPI."""

    def __init__(self, *variants, mpi=None):
        self.variants = variants
        self.mpi = mpi

    def satisfies(self, words):
        return (words[1:] in self.variants) == (words[0] == "+")

    def __getitem__(self, name):
        assert name == "mpi" and self.mpi
        programs = types.SimpleNamespace(mpirun=os.environ[f"LAUNCHER_{self.mpi}"])
        return types.SimpleNamespace(name=self.mpi, mpicc=f"mpicc.{self.mpi}", mpifc=f"mpifort.{self.mpi}",
                                     prefix=types.SimpleNamespace(bin=programs))


def load():
    """The recipe's class, and what it said with each directive."""
    said = {name: [] for name in DIRECTIVES + OF_CMAKE}
    package = types.ModuleType("spack.package")
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = CMakePackage
    for module, names in ((package, DIRECTIVES), (cmake, OF_CMAKE)):
        for name in names:
            setattr(module, name, lambda *words, into=said[name], **options: into.append((words, options)))
    with mock.patch.dict(sys.modules, {package.__name__: package, cmake.__name__: cmake}):
        recipe = importlib.util.spec_from_file_location("comity_recipe", RECIPE)
        module = importlib.util.module_from_spec(recipe)
        recipe.loader.exec_module(module)
    return module.Comity, said


class Recipe(unittest.TestCase):
    def configured(self, spec):
        """The cache of this tree as CMake makes it from the recipe's words."""
        package = load()[0]()
        package.spec = spec
        words = package.cmake_args()
        build = folder_of(self)
        said = must("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", f"-DCMAKE_C_COMPILER={LANGUAGES['c']}",
                    f"-DCMAKE_CXX_COMPILER={LANGUAGES['cpp']}", *words)
        self.assertNotIn("Manually-specified variables were not used", said)
        return build

    def test_it_lies_where_spack_looks_and_builds_the_tree_it_lies_in(self):
        self.assertEqual(load()[0].git, SOURCE.as_uri())
        self.assertIn("namespace: comity", (RECIPE.parents[2] / "repo.yaml").read_text(encoding="utf-8"))

    def test_each_mpi_gets_its_library_and_its_benchmark(self):
        for mpi in MPIS:
            rules = (self.configured(Spec("mpi", "bench", mpi=mpi)) / "build.ninja").read_text(encoding="utf-8")
            self.assertIn(f"libcomity_mpi-{mpi}.so", rules)
            self.assertIn(f"bench-quiesce-{mpi}", rules)
            for other in set(MPIS) - {mpi}:
                self.assertNotIn(f"libcomity_mpi-{other}.so", rules)

    @unittest.skipUnless(FORTRAN_MPIS, "NOT TESTED: it needs a Fortran compiler and an MPI")
    def test_fortran_is_built_where_it_is_wanted(self):
        mpi = FORTRAN_MPIS[0]
        for variants, wanted in ((("mpi", "fortran"), True), (("mpi",), False)):
            rules = (self.configured(Spec(*variants, mpi=mpi)) / "build.ninja").read_text(encoding="utf-8")
            self.assertEqual(f"libcomity_fortran-{mpi}.so" in rules, wanted)

    def test_without_mpi_there_is_the_library_and_the_command(self):
        rules = (self.configured(Spec()) / "build.ninja").read_text(encoding="utf-8")
        self.assertIn("libcomity.so", rules)
        self.assertNotIn("libcomity_mpi-", rules)

    def test_it_asks_for_the_cmake_that_the_tree_asks_for(self):
        needs = [words[0] for words, _ in load()[1]["depends_on"]]
        first = next(line for line in (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
                     if line.startswith("cmake_minimum_required"))
        version = first.split()[1].rstrip(")")
        self.assertIn(f"cmake@{version}:", needs)
        self.assertIn("hwloc@2.1:", needs)


if __name__ == "__main__":
    unittest.main()
