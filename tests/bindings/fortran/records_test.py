# SPDX-License-Identifier: BSD-3-Clause
"""A program in Fortran reads from a record what a writer put there, and says why where there is none."""
import os
import subprocess
import tempfile
import unittest


def of_rank(rank, end):
    return [f"rank {rank} node {rank} end {end}", "program sample", "calls function MPI_Send", "calls function MPI_Recv",
            f"calls count {10 + rank}", "calls count -3", f"calls wait_s {0.5 + rank:.2f}", "calls wait_s 0.25",
            "memory_bytes 1000 up to 99.0", "main solve 1000 of 4 ns"]


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="comity-fortran-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def printed(self):
        done = subprocess.run([os.environ["RECORDS"], self.folder], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_are_read_as_they_were_written(self):
        subprocess.run([os.environ["RECORD_SAMPLE"], self.folder], check=True)
        self.assertEqual(self.printed(), ["ranks 2 of 2", *of_rank(0, end=0), *of_rank(1, end=1)])

    def test_that_are_not_there_are_refused_with_a_sentence(self):
        (line,) = self.printed()
        self.assertTrue(line.startswith(f"COMITY_ERR_NOT_FOUND: {self.folder} holds no "), line)


if __name__ == "__main__":
    unittest.main()
