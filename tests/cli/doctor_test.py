# SPDX-License-Identifier: BSD-3-Clause
"""`comity doctor` on this machine: form and exit code; what it says of a fault is tested on planted machines."""
import os
import tempfile
import unittest
from pathlib import Path

from running import run, run_json

QUIET = {"PATH": "/absent"}  # no launcher to ask: some take seconds


class Doctor(unittest.TestCase):
    def test_every_finding_says_what_and_faults_say_why_and_what_to_do(self):
        told = run_json("doctor", **QUIET)
        ids = [finding["id"] for finding in told["findings"]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertGreater(len(ids), 20)
        for finding in told["findings"]:
            self.assertTrue(finding["what"], finding)
            self.assertIn(finding["severity"], told["counts"])
            if finding["severity"] != "ok":
                self.assertTrue(finding["why"] and finding["do"], finding)
        self.assertEqual(sum(told["counts"].values()), len(ids))

    def test_launcher_that_is_missing_is_a_warning_and_ends_with_1(self):
        done = run("doctor", **QUIET)
        self.assertEqual(done.returncode, 1)
        self.assertIn("warning  no MPI launcher is on the PATH", done.stdout)

    def test_bad_setting_is_an_error(self):
        findings = {f["id"]: f for f in run_json("doctor", COMITY_LOG="loud", **QUIET)["findings"]}
        self.assertEqual(findings["settings.COMITY_LOG"]["severity"], "error")

    def test_program_that_is_no_regular_file_is_an_error_and_no_wait(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = Path(folder) / "pipe"
            os.mkfifo(pipe)
            for program in (pipe, Path(folder), Path("/dev/zero")):
                findings = {f["id"]: f for f in run_json("doctor", program, **QUIET)["findings"]}
                self.assertEqual(findings["program.file"]["severity"], "error")
                self.assertEqual(findings["program.file"]["what"], f"{program} is no regular file")

    def test_text_fits_into_80_columns(self):
        for line in run("doctor", **QUIET).stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
