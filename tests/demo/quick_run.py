# SPDX-License-Identifier: BSD-3-Clause
"""A whole demo with tiny meshes: every mode runs, the files are complete.   quick_run.py BUILD MPI"""
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import layouts
import run

BUILD, MPI = sys.argv[1:3]


class QuickDemo(unittest.TestCase):
    def test_every_mode_runs_and_the_files_are_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["--build", BUILD, "--mpi", MPI, "--quick", "--output", folder]
            ended = subprocess.run([sys.executable, run.__file__, *words], capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            found = json.loads((Path(folder) / "demo.json").read_text())
            xml.parse(Path(folder) / "demo.svg")
        self.assertEqual([mode["mode"] for mode in found["modes"]], list(layouts.MODES))
        self.assertTrue(all(mode["checks_passed"] and mode["total_s"] > 0 for mode in found["modes"]))
        self.assertTrue(found["checksums"]["equal"])
        self.assertEqual(found["mpi"], MPI)
        self.assertRegex(ended.stdout.splitlines()[-1], "^make demo: comity .* as fast as under")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
