# SPDX-License-Identifier: BSD-3-Clause
"""A whole demo with tiny meshes: every mode runs, the files are complete.   quick_run.py BUILD MPI"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import layouts
import machine
import run

BUILD, MPI = sys.argv[1:3]
WHOLE = machine.reachable_cpus()


class QuickDemo(unittest.TestCase):
    def test_every_mode_runs_and_the_files_are_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["--build", BUILD, "--mpi", MPI, "--quick", "--output", folder]
            ended = subprocess.run([sys.executable, run.__file__, *words], capture_output=True, text=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, WHOLE))  # whoever bound this test
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            found = json.loads((Path(folder) / "demo.json").read_text())
            xml.parse(Path(folder) / "demo.svg")
        self.assertEqual([mode["mode"] for mode in found["modes"]], list(layouts.MODES))
        self.assertTrue(all(mode["checks_passed"] and mode["total_s"] > 0 for mode in found["modes"]))
        self.assertTrue(found["checksums"]["equal"])
        self.check_utilisation({mode["mode"]: mode for mode in found["modes"]}, found["machine"]["cores"])
        self.assertEqual(found["mpi"], MPI)
        self.assertRegex(ended.stdout.splitlines()[-1], "^make demo: comity .* as fast as under")

    def check_utilisation(self, modes, cores):
        """From the programs' own timelines: no run uses more than the cores, and L0 of `under` only its ranks'."""
        for mode in modes.values():
            for phase in ("l0", "l1"):
                self.assertGreater(mode["utilisation"][phase], 0, (mode["mode"], phase))
            self.assertLess(mode["utilisation"]["all"], 1.2, mode["mode"])
        self.assertLess(modes["under"]["utilisation"]["l0"], modes["under"]["ranks"] / cores + 0.1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
