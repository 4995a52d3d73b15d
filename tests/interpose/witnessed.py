# SPDX-License-Identifier: BSD-3-Clause
"""Runs of programs under the witness, for the tests beside this file. Started by ctest with COMITY_MPI, COMITY_LAUNCH (the
launcher's words) and COMITY_PROGRAMS (the folder of programs and witnesses) set."""
import os
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

MPI = os.environ["COMITY_MPI"]
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}[MPI]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
FOLDER = Path(os.environ["COMITY_PROGRAMS"])

# The calls of programs/calls.c and of its Fortran brothers.
CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Wtime": 1, "MPI_Allreduce": 3, "MPI_Bcast": 2,
         "MPI_Comm_dup": 1, "MPI_Irecv": 1, "MPI_Isend": 1, "MPI_Waitall": 1, "MPI_Get_count": 1, "MPI_Sendrecv": 1,
         "MPI_Comm_free": 1, "MPI_Barrier": 1, "MPI_Finalize": 1}


def witness(mpi=MPI):
    return str(FOLDER / f"libtest_interpose_witness-{mpi}.so")


def preloading(libraries):
    """The launcher's words that preload into the ranks alone."""
    inherited = os.environ.get("LD_PRELOAD")  # the sanitizers' own
    value = ":".join([*libraries, inherited] if inherited else libraries)
    return ["-x", f"LD_PRELOAD={value}"] if MPI == "openmpi" else ["-genv", "LD_PRELOAD", value]


def setting(name, value):
    """The launcher's words that set a variable for the ranks that follow."""
    return ["-x", f"{name}={value}"] if MPI == "openmpi" else ["-env", name, value]


class Run:
    """One run of a program under the witness: its exit code, what it printed, and the counts of each rank.

    With `only`, the names of functions, there are as many ranks, and each one's witness looks at one of them."""

    def __init__(self, program, *words, ranks=2, preload=None, environment=(), only=()):
        with tempfile.TemporaryDirectory() as folder:
            command = [*preloading(preload or [witness()]), str(FOLDER / program), *words]
            line = [*LAUNCH, "-n", str(ranks), *command]
            if only:
                line = LAUNCH + sum(([":", "-n", "1", *setting("COMITY_WITNESS_ONLY", name), *command] for name in only), [])[1:]
            done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, **dict(environment), "COMITY_WITNESS_FILE": folder + "/counts"})
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
            self.counts = [Counter({name: int(count) for name, count in map(str.split, path.read_text().splitlines())})
                           for path in sorted(Path(folder).glob("counts.*"))]


class Case(unittest.TestCase):
    def run_program(self, program, *words, **how):
        run = Run(program, *words, **how)
        self.assertEqual(run.code, 0, run.out + run.err)
        return run

    def assert_counts(self, run, ranks, wanted):
        self.assertEqual(len(run.counts), ranks, run.out + run.err)
        for counts in run.counts:
            self.assertEqual(dict(counts), wanted)
