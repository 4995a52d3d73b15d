# SPDX-License-Identifier: BSD-3-Clause
"""Trees and programs that a test of the tools' scripts plants: fakes that stand before the real ones in the PATH."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def plant_program(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


class PlantedTree(unittest.TestCase):
    """A tree with the named scripts of the front door, an empty build folder, and fake programs."""
    scripts = ("common.sh",)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        for name in ("tools", "build", "programs"):
            (self.tree / name).mkdir()
        for name in self.scripts:
            (self.tree / "tools" / name).write_text((TOOLS / name).read_text(encoding="utf-8"), encoding="utf-8")

    def plant(self, name, body):
        plant_program(self.tree / name, body)

    def run_script(self, name, **variables):
        """The finished process: returncode, and stdout with stderr."""
        path = f"{self.tree}/programs:{os.environ['PATH']}"
        return subprocess.run(["sh", self.tree / "tools" / name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={"PATH": path, **variables})
