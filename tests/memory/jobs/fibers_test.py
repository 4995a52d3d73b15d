# SPDX-License-Identifier: BSD-3-Clause
"""Fibers that call MPI: what attribution takes of their stacks beside what the MPI takes itself."""
import os
import re
import subprocess
import tempfile
import unittest

from memory_job import LAUNCH, PROGRAM, JobCase, launch

MOST_MORE = 2048  # bytes, as docs/memory.md says


class Fibers(JobCase):
    def taken(self, done):
        """Of the rank that took more, by kind of call."""
        self.assertEqual(done.returncode, 0, done.stderr)
        taken = {}
        for step, taken_bytes in re.findall(r"rank [01] (\w+) (\d+)", done.stdout):
            taken[step] = max(taken.get(step, 0), int(taken_bytes))
        self.assertEqual(len(taken), 6, done.stdout)
        return taken

    def test_calls_take_little_more_of_a_fibers_stack(self):
        bare = self.taken(subprocess.run([*LAUNCH, "-n", "2", PROGRAM], capture_output=True, text=True, timeout=50, check=False))
        with tempfile.TemporaryDirectory() as folder:
            for options in ["--memory"], ["--memory", "--record", os.path.join(folder, "out")]:
                watched = self.taken(launch(options))
                print(" ".join(f"{step} {bare[step]}+{watched[step] - bare[step]}" for step in bare))
                for step, taken_bytes in watched.items():
                    self.assertLessEqual(taken_bytes, bare[step] + MOST_MORE, (options, step))


if __name__ == "__main__":
    unittest.main()
