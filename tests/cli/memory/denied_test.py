# SPDX-License-Identifier: BSD-3-Clause
"""What `comity memory watch` says to who may not look. Started by ctest with COMMAND_UNDER_TEST set."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import COMMAND, KEPT  # noqa: E402  pylint: disable=wrong-import-position


@unittest.skipIf(os.getuid() != 0, "NOT TESTED: only root can become somebody else")
class Denied(unittest.TestCase):
    def test_who_may_not_look_is_told_what_to_do_and_may_see_totals(self):
        line = [COMMAND, "memory", "watch", str(os.getpid())]
        done = subprocess.run(line, env=KEPT, capture_output=True, text=True, user=65534, group=65534, extra_groups=[],
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("ask as the user who runs it, or as root", done.stderr)
        self.assertIn("--totals", done.stderr)
        done = subprocess.run([*line, "--totals"], env=KEPT, capture_output=True, text=True, user=65534, group=65534,
                              extra_groups=[], check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("at its peak", done.stdout)


if __name__ == "__main__":
    unittest.main()
