# SPDX-License-Identifier: BSD-3-Clause
"""A result goes into a file or is told to be lost, and writes over nothing that the run reads: output_files_test.py PROGRAM"""
import os
import sys
import tempfile
import unittest
from pathlib import Path

from running import LOST, SHORT, SMALL, run


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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
