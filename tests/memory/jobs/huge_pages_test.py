# SPDX-License-Identifier: BSD-3-Clause
"""Pages of hugetlbfs that a test asked for do not stay on the machine; here of a file in the place of the kernel's, for any user."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from huge_pages import reserve_huge_pages

DEADLINE_S = 50
TEST = """
import sys, time, huge_pages
give_back = huge_pages.reserve_huge_pages(2, sys.argv[1])
print("held", flush=True)
time.sleep(60)
"""


class HugePages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "nr_hugepages")
        with open(self.file, "w", encoding="ascii") as file:
            file.write("7\n")

    def pages(self):
        with open(self.file, encoding="ascii") as file:
            return file.read().strip()

    def test_they_are_given_back_behind_a_test(self):
        first, second = reserve_huge_pages(2, self.file), reserve_huge_pages(3, self.file)
        self.assertEqual(self.pages(), "12")
        first()
        self.assertEqual(self.pages(), "10")
        second()
        self.assertEqual(self.pages(), "7")

    def test_they_are_given_back_behind_a_test_that_was_killed(self):
        folder = os.path.dirname(os.path.abspath(__file__))
        with subprocess.Popen([sys.executable, "-c", TEST, self.file], cwd=folder, stdout=subprocess.PIPE, start_new_session=True) as test:
            self.assertEqual(test.stdout.readline(), b"held\n")
            self.assertEqual(self.pages(), "9")
            os.killpg(test.pid, signal.SIGKILL)
        end = time.monotonic() + DEADLINE_S
        while self.pages() != "7" and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(self.pages(), "7")

    def test_none_are_got_where_there_is_no_number(self):
        reserve_huge_pages(2, "/absent/nr_hugepages")()


if __name__ == "__main__":
    unittest.main()
