# SPDX-License-Identifier: BSD-3-Clause
"""The example that prints each table of a record prints those of the sample, by rank, and says why where there is none."""
import os
import subprocess
import tempfile
import unittest


class Example(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="comity-record-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def printed(self):
        return subprocess.run([os.environ["RECORD_EXAMPLE"], self.folder], capture_output=True, text=True, check=False)

    def test_prints_each_row_of_each_table_of_each_rank(self):
        subprocess.run([os.environ["RECORD_SAMPLE"], self.folder], check=True)
        done = self.printed()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), [
            "0\tcalls\tfunction=MPI_Send\tcount=10\twait_s=0.5", "0\tcalls\tfunction=MPI_Recv\tcount=-3\twait_s=0.25",
            "1\tcalls\tfunction=MPI_Send\tcount=11\twait_s=1.5", "1\tcalls\tfunction=MPI_Recv\tcount=-3\twait_s=0.25"])

    def test_says_why_where_there_is_no_record(self):
        done = self.printed()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"record: {self.folder} holds no record, and nothing that one could be made of\n")


if __name__ == "__main__":
    unittest.main()
