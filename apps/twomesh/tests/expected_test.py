# SPDX-License-Identifier: BSD-3-Clause
"""A run with --expect against an earlier result that differs in one of the two sums: it must fail and say in which.

expected_test.py PROGRAM LAUNCHER...     the launcher's words end before the program's"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, *LAUNCHER = sys.argv[1:]
SMALL = Path(__file__).parent / "small.toml"


def run(folder, *words):
    """Exit status, line and result of a short run."""
    result = folder / "result.json"
    command = [*LAUNCHER, PROGRAM, "--config", SMALL, "--steps", "1", "--threads", "1", "--json", result, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, json.loads(result.read_text())


def with_other(result, which):
    """The result with the last digit of one sum changed."""
    changed = json.loads(json.dumps(result))
    digits = changed["checksum"][which]
    changed["checksum"][which] = digits[:-1] + ("0" if digits[-1] != "0" else "1")
    return changed


class ExpectedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        status, line, cls.first = run(cls.folder)
        assert status == 0, line

    def again(self, expected):
        path = self.folder / "expected.json"
        path.write_text(json.dumps(expected))
        return run(self.folder, "--expect", path)

    def test_the_same_sums_pass(self):
        status, line, result = self.again(self.first)
        self.assertEqual(status, 0)
        self.assertIn("checks passed", line)
        self.assertEqual(result["checks"]["expected"], {"passed": True, "fields_equal": 1.0, "cg_equal": 1.0})

    def test_sums_that_are_no_strings_are_no_result(self):
        for sums in ({"fields": 1, "cg": "zz"}, {"fields": "zz", "cg": None}):
            with self.subTest(sums=sums):
                path = self.folder / "expected.json"
                path.write_text(json.dumps({"checksum": sums}))
                done = subprocess.run([*LAUNCHER, PROGRAM, "--config", SMALL, "--expect", path], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("no result of a twomesh simulation", done.stdout + done.stderr)

    def test_one_other_sum_fails_and_is_named(self):
        for which, other in [("fields", "cg"), ("cg", "fields")]:
            with self.subTest(which):
                status, line, result = self.again(with_other(self.first, which))
                self.assertEqual(status, 1)
                self.assertIn("checks FAILED: expected", line)
                expected = {"passed": False, which + "_equal": 0.0, other + "_equal": 1.0}
                self.assertEqual(result["checks"]["expected"], expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
