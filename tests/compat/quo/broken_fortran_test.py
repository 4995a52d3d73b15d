# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran program judges the libquo of LIBQUO and the module beside it: it notices that one subroutine is broken (broken.cpp).
    broken_fortran_test.py LAUNCHER WORD... SCRIPT PROGRAM LIBRARY"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

*LAUNCHER, SCRIPT, PROGRAM, LIBRARY = sys.argv[1:]
PATIENCE_S = 30
SKIPPED = 77


class BrokenFortran(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.libquo = Path(folder.name, "libquo.so.8")
        self.libquo.symlink_to(LIBRARY)
        self.module = Path(folder.name, "libquo-usequo.so.8")

    def judge(self, *launcher):
        environment = {**os.environ, "LIBQUO": str(self.libquo), "QUO_BROKEN": "quo_bound"}
        return subprocess.run([*launcher, "sh", SCRIPT, PROGRAM], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE_S, check=False)

    def test_a_broken_subroutine_is_noticed(self):
        self.module.symlink_to(LIBRARY)
        done = self.judge(*LAUNCHER)
        self.assertIn("FAIL: quo_bound\n", done.stdout)
        self.assertNotIn(done.returncode, (0, SKIPPED))

    def test_a_library_without_a_module_is_not_tested(self):
        done = self.judge()
        self.assertIn(f"NOT TESTED: there is no Fortran module of {self.libquo}", done.stdout)
        self.assertEqual(done.returncode, SKIPPED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
