# SPDX-License-Identifier: BSD-3-Clause
"""What is no regular file, or a file that is too large, is refused before it is read, and a pipe before it is written: by all
ranks, with what it is.

irregular_file_test.py PROGRAM LAUNCHER...     the launcher's words end before the program's"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, *LAUNCHER = sys.argv[1:]
LIMIT_S = 50
MOST_BYTES = 256 << 20


def refusal(option, path):
    """Exit status and words of a run that is given this; it is ended where it waits."""
    run = subprocess.Popen([*LAUNCHER, PROGRAM, "--steps", "1", option, path], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    try:
        return run.communicate(timeout=LIMIT_S)[0], run.returncode
    except subprocess.TimeoutExpired:
        run.terminate()  # the launcher ends its ranks
        return run.communicate()[0] + "it waits", run.returncode


class IrregularFileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, option, path, why, what="read"):
        words, status = refusal(option, path)
        self.assertIn(f"cannot {what} {path}: {why}", words)
        self.assertEqual(status, 2, words)

    def test_a_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.check("--config", pipe, "it is no regular file")
        self.check("--expect", pipe, "it is no regular file")
        self.check("--json", pipe, "it is a pipe, whose reader", "write")

    def test_a_file_that_is_too_large(self):
        large = self.folder / "large"
        large.touch()
        os.truncate(large, MOST_BYTES + 1)
        self.check("--config", large, "it is larger than 256 MiB")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
