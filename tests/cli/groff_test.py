# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages are roff without a fault, as groff sees it."""
import shutil
import subprocess
import unittest

from running import page, run


@unittest.skipUnless(shutil.which("groff"), "NOT TESTED: there is no groff")
class Groff(unittest.TestCase):
    def test_has_nothing_to_say(self):
        for name in run("--man").stdout.split():
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z"], input=page(name), capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
