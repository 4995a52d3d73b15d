# SPDX-License-Identifier: BSD-3-Clause
"""A result that goes nowhere is a failure, and never a wait: output_test.py PROGRAM"""
import os
import sys
import tempfile
import unittest
from pathlib import Path

from running import LOST, SHORT, run


class StandardOutput(unittest.TestCase):
    def test_one_that_is_full_is_told_whatever_was_asked_for(self):
        for words in (SHORT, ["--help"], ["--check", "conservation", "--threads", "1"]):
            with self.subTest(words=words), open("/dev/full", "w", encoding="utf-8") as full:
                done = run(*words, stdout=full)
                self.assertEqual(done.returncode, LOST, done.stderr)
                self.assertIn("cannot write the result to standard output", done.stderr)

    def test_one_that_is_closed_is_told_too_and_no_file_of_mpi_takes_its_place(self):
        """With standard input closed too, output would be the end of a pipe that takes everything."""
        for end in (1, 0):
            with self.subTest(closed=range(end, 2)):
                done = run(*SHORT, stdout=None, preexec_fn=lambda: os.closerange(end, 2))
                self.assertEqual(done.returncode, LOST, done.stderr)
                self.assertIn("cannot write the result to standard output", done.stderr)


class StandardError(unittest.TestCase):
    def test_a_pipe_whose_reader_has_gone_is_not_waited_for(self):
        """Where the bar looks for a terminal it opens standard error anew."""
        with tempfile.TemporaryDirectory() as folder:
            pipe = Path(folder) / "pipe"
            os.mkfifo(pipe)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            writer = os.open(pipe, os.O_WRONLY)
            os.close(reader)
            try:
                done = run(*SHORT, stderr=writer)
            finally:
                os.close(writer)
        self.assertEqual(done.returncode, 0)
        self.assertIn("checks passed", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
