# SPDX-License-Identifier: BSD-3-Clause
"""The progress bar is on the terminal from which a job was launched, and nowhere else: progress_test.py PROGRAM LAUNCHER..."""
import os
import pty
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM, *LAUNCHER = sys.argv[1:]
CONFIG = str(Path(__file__).with_name("small.toml"))
BAR = b"2/2 steps"


def run(**streams):
    """What comes out of a terminal on which the job has the other streams that are given."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen([*LAUNCHER, PROGRAM, "--config", CONFIG], stdin=subprocess.DEVNULL,
                              **{name: stream or theirs for name, stream in streams.items()}) as job:
            os.close(theirs)
            seen = b""
            while chunk := read(ours):
                seen += chunk
        return job.returncode, seen
    finally:
        os.close(ours)


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # nobody has the other end open any more
        return b""


class Bar(unittest.TestCase):
    def test_it_is_on_the_terminal_of_the_launcher(self):
        status, seen = run(stdout=subprocess.DEVNULL, stderr=None)
        self.assertEqual(status, 0, seen)
        self.assertIn(BAR, seen)

    def test_it_is_not_where_standard_error_goes_elsewhere(self):
        status, seen = run(stdout=None, stderr=subprocess.DEVNULL)
        self.assertEqual(status, 0, seen)
        self.assertNotIn(BAR, seen)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
