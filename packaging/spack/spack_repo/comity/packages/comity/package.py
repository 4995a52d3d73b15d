# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Comity(CMakePackage):
    """Changes the layout of a coupled MPI+X program between its phases: the ranks that work widen over the cores they
    need, the others rest and burn nothing."""

    # The recipe builds the clone that it stands in; a release adds a url and its checksum.
    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Build for the MPI of the spec")
    variant("bench", default=True, when="+mpi", description="Build the programs behind `comity bench`")
    variant("fortran", default=True, description="Build the Fortran modules")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("py-pycparser@2.20:", type="build", when="+mpi")
    depends_on("boost@1.74: +context", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("tomlplusplus@3:", type="build", when="+bench")
    depends_on("hwloc@2.1:")
    depends_on("mpi@3:", when="+mpi")

    conflicts("platform=darwin", msg="Comity needs Linux")
    conflicts("platform=windows", msg="Comity needs Linux")
    conflicts("%gcc@:10", msg="Comity needs C++20")
    conflicts("%clang@:13", msg="Comity needs C++20")

    def cmake_args(self):
        bench = self.spec.satisfies("+bench")
        args = [
            self.define("COMITY_TESTS", False),
            self.define("COMITY_APPS", bench),  # the kernel of a benchmark is the mini-app's
            self.define("COMITY_BENCH", bench),
            self.define("COMITY_WITH_FORTRAN", self.spec.satisfies("+fortran")),
        ]
        if self.spec.satisfies("~mpi"):
            return args + [self.define("COMITY_MPIS_WANTED", "")]
        mpi = self.spec["mpi"]
        if self.spec.satisfies("+fortran"):
            args.append(self.define(f"COMITY_MPIFORT_{mpi.name}", mpi.mpifc))
        return args + [
            self.define("COMITY_MPIS_WANTED", mpi.name),
            self.define(f"COMITY_MPICC_{mpi.name}", mpi.mpicc),
            self.define(f"COMITY_LAUNCHER_{mpi.name}", mpi.prefix.bin.mpirun),
        ]
