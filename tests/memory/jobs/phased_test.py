# SPDX-License-Identifier: BSD-3-Clause
"""In which wide phase of a context a peak was."""
import json
import os
import tempfile
import unittest

from memory_job import MEGA, JobCase, launch, report, rows_of


class Phased(JobCase):
    def test_a_peak_tells_its_phase_beside_its_region(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            done = launch(["--memory", "--record", record])
            self.assertEqual(done.returncode, 0, done.stderr)
            application = json.loads(report(record, "--json"))["memory"]["statistics"]["application"]
            text, rows = report(record), {row["component"]: row for row in rows_of(record, "memory-statistics")}
        most, least = application["most"], application["least"]
        self.near(most["bytes"], 64 * MEGA)
        self.near(least["bytes"], 32 * MEGA)
        self.assertEqual((most["region"], most["phase"]), ("conduction", "phase(machine, 1)"))
        self.assertEqual((least["region"], least["phase"]), ("conduction", ""))
        self.assertEqual((rows["application"]["most_phase"], rows["application"]["least_phase"]), ("phase(machine, 1)", ""))
        for page in text, done.stderr:
            self.assertRegex(page, r"\n  application +most .*\(between calls\) in conduction, phase\(machine, 1\)\n")
            self.assertRegex(page, r"\n  application +least .*\(between calls\) in conduction\n")


if __name__ == "__main__":
    unittest.main()
