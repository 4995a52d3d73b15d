# SPDX-License-Identifier: BSD-3-Clause
"""The installed tree under test, and what its user does with it: run a tool, start ranks."""
import os
import subprocess
import tempfile
from pathlib import Path

BUILD = Path(os.environ["BUILD_FOLDER"])
DESTINATION = Path(os.environ["INSTALL_DESTINATION"])
PREFIX = Path("/opt/comity")  # never made: the tree lies below DESTINATION, so it has moved from where it belongs
TREE = DESTINATION / PREFIX.relative_to("/")
LIBRARIES = TREE / os.environ["LIBRARY_FOLDER"]
VERSION = os.environ["VERSION"]
SONAME = os.environ["SONAME_VERSION"]
MPIS = os.environ["MPIS"].split()
SOURCE = Path(__file__).resolve().parents[2]
OUTSIDE = Path(__file__).resolve().parent / "outside"
LANGUAGES = {"c": os.environ["CC"], "cpp": os.environ["CXX"]}
FORTRAN = os.environ.get("FC")  # None where it was built without
FORTRAN_MPIS = os.environ["FORTRAN_MPIS"].split()
FORTRAN_MODULES = LIBRARIES / os.environ.get("FORTRAN_FOLDER", "none")
# All that find_package knows in this tree; an entry that is told of one MPI sees the Fortran of all.
COMPONENTS = sorted([*MPIS, "record", "sched", *(["fortran", "fortran-record", "fortran-sched"] if FORTRAN else []), *(f"fortran-{mpi}" for mpi in FORTRAN_MPIS)])
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
# Nothing of the shell that runs the tests leads to another Comity.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith(("COMITY_", "CMAKE_", "PKG_CONFIG", "LD_"))}


def run(*words, **variables):
    """The finished process: returncode, and stdout with stderr."""
    return subprocess.run([str(word) for word in words], env={**ENVIRONMENT, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


def must(*words, **variables):
    """What a program says that has to end well."""
    done = run(*words, **variables)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def starts_early(program):
    """Whether it has code that runs before the constructors of shared libraries."""
    return "(PREINIT_ARRAY)" in must("readelf", "-d", program)


def launch(mpi, program, **variables):
    """What two ranks say; `mpi` is the one whose launcher starts them."""
    words = [os.environ[f"LAUNCHER_{mpi}"], "-n", "2"]
    if mpi == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none"]
    return must(*words, program, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)


def folder_of(test):
    """An empty folder for the time of a test."""
    folder = tempfile.TemporaryDirectory(prefix="comity-install-")
    test.addCleanup(folder.cleanup)
    return Path(folder.name)


def assert_two_ranks(test, mpi, language, program, **variables):
    """The program of outside/ works with two ranks, and with the MPI that was asked for."""
    said = launch(mpi, program, **variables)
    for rank in (0, 1):
        test.assertIn(f"{language}: rank {rank} of 2, comity {VERSION}, {MPI_NAMES[mpi]}", said)
