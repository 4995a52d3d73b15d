# SPDX-License-Identifier: BSD-3-Clause
"""programs.py on a folder of two programs, one that ends with 0 and one that ends with 2, and of a file that is none.
    programs_test.py LAUNCHER MPI LIBQUO GOOD BAD"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAUNCHER, MPI, LIBQUO, GOOD, BAD = sys.argv[1:]
SCRIPT = Path(__file__).with_name("programs.py")
PATIENCE_S = 60


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.libraries = Path(folder.name, "programs"), Path(folder.name, "libraries")
        self.folder.mkdir()
        self.libraries.mkdir()
        (self.folder / "good").symlink_to(GOOD)

    def run_script(self, *options):
        words = [sys.executable, SCRIPT, self.folder, "--mpi", MPI, "--launcher", LAUNCHER, "--libquo", self.libraries, *options]
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                              timeout=PATIENCE_S, check=False)

    def test_each_program_runs_with_that_library_at_each_count(self):
        (self.libraries / "libquo.so.8").symlink_to(LIBQUO)
        (self.folder / "bad").symlink_to(BAD)
        (self.folder / "notes").write_text("not a program\n", encoding="utf-8")
        done = self.run_script("--ranks", "1", "2")
        self.assertEqual([line.split() for line in done.stdout.splitlines()],
                         [["program", "1", "2"], ["bad", "2", "2"], ["good", "0", "0"]])
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1)

    def test_what_would_take_another_library_is_not_run(self):
        done = self.run_script("--ranks", "2")
        self.assertIn("good would not take the libquo of", done.stderr)
        self.assertIn(f"libquo.so.8 => {Path(LIBQUO).parent}/libquo.so.8\n", done.stderr)
        self.assertEqual(done.stdout.split(), ["program", "2", "good", "other"])
        self.assertEqual(done.returncode, 1)

    def test_a_run_that_takes_too_long_is_ended(self):
        (self.libraries / "libquo.so.8").symlink_to(LIBQUO)
        done = self.run_script("--ranks", "2", "--limit-s", "0.001")
        self.assertEqual(done.stdout.split(), ["program", "2", "good", "over"])
        self.assertEqual(done.returncode, 1)

    def test_a_folder_without_programs_is_told(self):
        (self.folder / "good").unlink()
        done = self.run_script()
        self.assertEqual(done.stdout, "")
        self.assertIn("needs a libquo", done.stderr)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
