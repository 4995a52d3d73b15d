# SPDX-License-Identifier: BSD-3-Clause
"""Programs of all kinds under `comity run` with a real launcher: scripts, Python, programs alone, programs whose MPI cannot be
seen, and those of another MPI."""
import os
import re
import signal
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import COMMAND, MPI, PROGRAM, bare, comity, everywhere, run, told

OTHER = {"openmpi": "mpich", "mpich": "openmpi"}[MPI]
OTHERS_LIBRARY = Path(COMMAND).parent.parent / "lib" / f"libcomity_preload-{OTHER}.so"


def run_past_a_closed_pipe(line):
    """MPICH 4.0's mpiexec, bare too, is ended by SIGPIPE in a tenth of its launches of programs that never speak to it."""
    for _ in range(8):
        done = run(line)
        if done.returncode != -signal.SIGPIPE:
            break
    return done


class Programs(unittest.TestCase):
    def assert_watched(self, words, ranks, options=()):
        """By a page at the end: a library that is loaded and steps aside prints none."""
        done = run(comity(*words, options=("--metrics", *options)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(told(done.stdout, "loaded"), everywhere("yes", ranks))
        self.assertEqual(re.findall(r"^comity: (\d+) ranks?, ", done.stderr, re.MULTILINE), [str(ranks)], done.stderr)

    def test_a_script(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "start me")
            script.write_text(f"#!/bin/sh\nexec '{PROGRAM}' show\n", encoding="utf-8")
            script.chmod(0o755)
            self.assert_watched(bare(program=str(script)), 2)

    def test_a_shell_in_between(self):
        self.assert_watched(bare("-c", f"'{PROGRAM}' show", program="sh"), 2)

    def test_a_program_alone_is_a_job_of_one_by_its_own_mpi(self):
        self.assert_watched((PROGRAM, "show"), 1)

    def test_a_launcher_is_found_that_starts_the_programs_mpi(self):
        self.assert_watched((PROGRAM, "show"), 1, ("-n", "1"))

    def test_python_is_watched_under_the_mpi_that_a_module_of_it_needs(self):
        """As mpi4py is: a library that is linked with the MPI and comes when the interpreter runs."""
        script = f"import ctypes; ctypes.CDLL({os.environ['MPI_MODULE']!r}).work()"
        done = run(comity(*bare("-c", script, program=sys.executable), options=("--metrics",)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"MPI_Barrier +\(run\) +10 ", "five of each of two ranks")

    def test_an_mpi_that_is_reached_past_the_library_is_told_at_the_end(self):
        """Nothing was printed: who asks the MPI's own file for MPI_Init never comes to us."""
        script = (f"import ctypes, re; ctypes.CDLL({os.environ['MPI_MODULE']!r})\n"
                  "path, = {line.split()[-1] for line in open('/proc/self/maps') if re.search(r'/libmpi(ch)?\\.so', line)}\n"
                  "for whose in ([None] if sees else [path]):\n"
                  "    mpi = ctypes.CDLL(whose, mode=ctypes.RTLD_GLOBAL)\n"
                  "    mpi.MPI_Init(None, None)\n"
                  "    mpi.MPI_Finalize()\n")
        for sees in False, True:
            done = run(comity(*bare("-c", f"sees = {sees}\n{script}", program=sys.executable), options=("--memory",)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("no call of MPI_Init was seen"), 0 if sees else 1, done.stderr)

    def test_a_program_alone_ends_as_itself(self):
        self.assertEqual(run(comity(PROGRAM, "exit", "3")).returncode, 3)
        self.assertEqual(run(comity("sh", "-c", "kill -KILL $$", options=("--mpi", MPI))).returncode, -9)

    def test_a_program_with_an_mpi_of_its_own_is_run_and_told(self):
        for program in filter(None, (os.environ["INNER_SOLVER"], os.environ.get("STATIC_SOLVER"))):
            for line in comity(program), comity(*bare(program=program)):
                done = run_past_a_closed_pipe(line)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("no call of its MPI can be seen", done.stderr)


if OTHERS_LIBRARY.exists():
    class OtherMpi(unittest.TestCase):
        def test_a_library_of_another_mpi_steps_aside_and_says_so_once(self):
            done = run(comity(*bare("show"), options=("--mpi", OTHER)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("Comity steps aside"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
