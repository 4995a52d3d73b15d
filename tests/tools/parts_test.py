# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a script of unit tests (run_unittest.py): together they are all of its tests, each of which runs once."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_UNITTEST = Path(__file__).resolve().parents[1] / "run_unittest.py"
FIVE_IN_TWO_CLASSES = """
import unittest
class A(unittest.TestCase):
    def test_1(self): pass
    def test_2(self): pass
    def test_3(self): pass
class B(unittest.TestCase):
    def test_4(self): pass
    def test_5(self): self.fail("it is meant to")
"""


class Parts(unittest.TestCase):
    def run_part(self, part):
        """Exit status, and which tests ran."""
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "planted_test.py"
            script.write_text(FIVE_IN_TWO_CLASSES, encoding="utf-8")
            done = subprocess.run([sys.executable, RUN_UNITTEST, script], env={**os.environ, "TEST_PART": part},
                                  capture_output=True, text=True, check=False)
        return done.returncode, re.findall(r"^test_(\d) .*\.\.\. ", done.stderr, re.MULTILINE)

    def test_together_are_all_tests(self):
        self.assertEqual(self.run_part("1/2"), (1, ["1", "3", "5"]))
        self.assertEqual(self.run_part("2/2"), (0, ["2", "4"]))

    def test_one_without_a_test_fails(self):
        self.assertEqual(self.run_part("6/6"), (1, []))


if __name__ == "__main__":
    unittest.main()
