# SPDX-License-Identifier: BSD-3-Clause
"""A demo in a shell that is bound to one CPU of several.   bound_test.py BUILD

It must end before any run: some modes would keep to that CPU, and Comity's would use all."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import machine
import run

BUILD = Path(sys.argv[1])
WHOLE = machine.reachable_cpus()
KEPT = {name: value for name, value in os.environ.items() if not name.startswith(("COMITY_", "HWLOC_"))}


@unittest.skipIf(len(WHOLE) < 2, "NOT TESTED: needs two CPUs, and this machine allows one")
class BoundShell(unittest.TestCase):
    def test_it_is_refused_with_what_lets_it_go(self):
        one = max(WHOLE)
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "demo"
            ended = subprocess.run([sys.executable, run.__file__, "--build", BUILD, "--quick", "--output", output], env=KEPT,
                                   preexec_fn=lambda: os.sched_setaffinity(0, {one}), capture_output=True, text=True)
            self.assertFalse(output.exists())
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        whole = machine.cpu_list(WHOLE)
        self.assertIn(f"cannot compare the modes: this shell is bound to CPUs {one} of {whole}", ended.stderr)
        self.assertIn(f"taskset -cp {whole} $$", ended.stderr)

    def test_comitys_table_has_all_of_them_there(self):
        """Which is why the demo counts them so."""
        words = ["taskset", "-c", str(max(WHOLE)), BUILD / "bin" / "comity", "topo", "--json"]
        told = json.loads(subprocess.run(words, env=KEPT, capture_output=True, text=True, check=True).stdout)
        self.assertEqual(told["machine"]["allowed"], machine.cpu_list(WHOLE))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
