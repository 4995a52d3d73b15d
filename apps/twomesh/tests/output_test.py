# SPDX-License-Identifier: BSD-3-Clause
"""A result that goes nowhere is a failure, and never a wait: output_test.py PROGRAM

One rank without a launcher, which would stand between it and the streams that the test gives it."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv[1]
SMALL = Path(__file__).parent / "small.toml"
SHORT = ["--config", SMALL, "--steps", "1", "--threads", "1"]
LIMIT_S = 50
LOST = 3


def run(*words, **options):
    return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, text=True, timeout=LIMIT_S, check=False,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


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


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_file_that_takes_nothing_leaves_the_line(self):
        for option in ("--json", "--timeline"):
            with self.subTest(option):
                done = run(*SHORT, option, "/dev/full")
                self.assertEqual(done.returncode, LOST, done.stderr)
                self.assertIn("checks passed", done.stdout)
                self.assertIn("cannot write /dev/full: No space left on device", done.stderr)

    def test_a_pipe_with_a_name_is_refused(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for option in ("--json", "--timeline"):
            with self.subTest(option):
                done = run(*SHORT, option, pipe)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"cannot write {pipe}: it is a pipe, whose reader", done.stderr)

    def test_a_pipe_without_a_name_is_fine(self):
        done = run(*SHORT, "--json", "/dev/stdout")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"checks_passed": true', done.stdout)

    def test_what_the_run_reads_is_not_written_over(self):
        config = self.folder / "run.toml"
        config.write_bytes(SMALL.read_bytes())
        earlier = self.folder / "earlier.json"
        self.assertEqual(run(*SHORT, "--json", earlier).returncode, 0)
        link = self.folder / "link"
        for read, words in ((config, ["--config", config]), (earlier, [*SHORT, "--expect", earlier])):
            before = read.read_bytes()
            link.unlink(missing_ok=True)
            link.symlink_to(read)
            for option in ("--json", "--timeline"):
                with self.subTest(read=read.name, option=option):
                    done = run(*words, option, link)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("cannot write the result over what the run reads", done.stderr)
                    self.assertEqual(read.read_bytes(), before)


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
