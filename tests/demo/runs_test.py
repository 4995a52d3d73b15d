# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong with a run, tried with made-up launchers."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import run

DRIVER = Path(run.__file__)


class Errors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "bin").mkdir()
        (self.root / "path").mkdir()

    def script(self, place, content):
        file = self.root / place
        file.write_text("#!/bin/sh\n" + content)
        file.chmod(0o755)

    def demo(self, *words):
        environment = dict(os.environ, PATH=str(self.root / "path"))
        return subprocess.run([sys.executable, str(DRIVER), "--build", str(self.root), *words], env=environment,
                              capture_output=True, text=True)

    def test_a_missing_mpi_names_the_package_and_the_other_mpi(self):
        self.script("path/mpirun.mpich", "")
        ended = self.demo("--mpi", "openmpi")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("apt-get install openmpi-bin", ended.stderr)
        self.assertIn("make demo MPI=mpich", ended.stderr)

    def test_a_missing_program_says_to_build_it(self):
        self.script("path/mpirun.openmpi", "")
        ended = self.demo()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("twomesh-openmpi: it is not there; build it first", ended.stderr)

    def test_a_missing_configuration_is_named(self):
        self.script("path/mpirun.openmpi", "")
        self.script("bin/twomesh-openmpi", "")
        ended = self.demo("--config", "nowhere.toml")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot read the configuration nowhere.toml", ended.stderr)

    def test_a_run_that_breaks_off_is_shown_with_its_words(self):
        self.script("path/mpirun.openmpi", "echo the disk is gone >&2; exit 3\n")
        self.script("bin/twomesh-openmpi", "")
        ended = self.demo("--quick")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ended with status 3", ended.stderr)
        self.assertIn("the disk is gone", ended.stderr)

    def test_an_unknown_mpi_is_bad_usage(self):
        self.assertEqual(self.demo("--mpi", "lam").returncode, 2)

    def test_an_output_folder_that_cannot_be_made_is_named(self):
        self.script("path/mpirun.openmpi", "")
        (self.root / "file").write_text("")
        ended = self.demo("--output", str(self.root / "file" / "demo"))
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"cannot use {self.root / 'file' / 'demo'}", ended.stderr)


if __name__ == "__main__":
    unittest.main()
