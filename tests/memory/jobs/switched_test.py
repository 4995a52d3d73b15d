# SPDX-License-Identifier: BSD-3-Clause
"""Recording of memory that is switched off and on while a job runs, by itself and from outside."""
import json
import os
import subprocess
import tempfile
import time
import unittest

from memory_job import COMITY, LAUNCH, MEGA, PROGRAM, JobCase, comity, group_of, launch, report


class Case(JobCase):
    def check(self, record):
        for rank in json.loads(report(record, "--json"))["memory"]["ranks"]:
            application = rank["components"]["application"]
            self.assertGreater(application["peak_bytes"] - application["start_bytes"], 16 * MEGA - 65536)
            self.assertLess(application["peak_bytes"] - application["start_bytes"], 24 * MEGA)
            grown = sum(row["grown_bytes"] for row in rank["growth"] if row["component"] == "application")
            self.assertGreater(grown, 16 * MEGA - 65536)
            self.assertLess(grown, 24 * MEGA)
            self.assertGreater(rank["off_s"], 0.02, "20 ms and more were slept then")
            self.assertGreater(rank["totals"][-1]["peak_rss_bytes"], 64 * MEGA, "the kernel's own mark is the kernel's")
        self.assertRegex(report(record), r"\n  nothing was recorded for \S+ s on rank [01]")


class Level(Case):
    def test_what_comes_and_goes_at_level_0_is_not_told(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            done = launch(["--memory", "--record", record], "level")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"\n  nothing was recorded for \S+ s on rank [01]")
            self.check(record)


class FromOutside(Case):
    def switch(self, word, *words):
        """Until all ranks have done so; a line of each."""
        while True:
            done = comity("memory", word, *words, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = json.loads(done.stdout)["processes"]
            self.assertEqual(sorted(one["rank"] for one in told), [0, 1])
            self.assertEqual({one["asked"] for one in told}, {word})
            if all(one["was"] == word for one in told):
                return told
            time.sleep(0.01)

    @staticmethod
    def wait_for(folder, name):
        while not os.path.exists(os.path.join(folder, name)):
            time.sleep(0.01)

    @staticmethod
    def tell(folder, name):
        with open(os.path.join(folder, name), "w", encoding="utf-8"):
            pass

    def test_ranks_stop_and_go_on(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            with subprocess.Popen([COMITY, "run", "--memory", "--record", record, "--", *LAUNCH, "-n", "2", PROGRAM, folder],
                                  stderr=subprocess.PIPE, text=True) as job:
                self.wait_for(folder, "running")
                self.switch("off", "--job", str(job.pid))
                self.tell(folder, "is-off")
                self.wait_for(folder, "gone")
                told = self.switch("on", "--job", str(job.pid))
                said = comity("memory", "on", *(str(one["pid"]) for one in told))
                self.tell(folder, "is-on")
                _, errors = job.communicate(timeout=50)
                self.assertEqual(job.returncode, 0, errors)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertRegex(said.stdout, r"^process \d+, rank [01]: recording is on already\nprocess \d+, rank [01]: ")
            self.check(record)

    def test_who_does_not_record_says_why_and_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            with subprocess.Popen([COMITY, "run", "--metrics", "--", *LAUNCH, "-n", "2", PROGRAM, folder], stderr=subprocess.DEVNULL) as job:
                self.wait_for(folder, "running")
                done = comity("memory", "off", "--job", str(job.pid))
                self.tell(folder, "is-off")
                self.tell(folder, "is-on")
                self.assertEqual(job.wait(timeout=50), 0)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.count("does not record whose its memory is; start the job with `comity run --memory`"), 2)

    def test_words_and_processes_that_make_no_sense(self):
        for words, code, part in (((), 2, "comity memory off PID"), (("x",), 2, "process number"), (("--csv", "1"), 2, "--csv is an option"),
                                  ((str(2**31 - 1),), 1, "there is no such process"),
                                  ((str(os.getpid()),), 1, "shows itself as no rank; start the job with `comity run --memory`")):
            with self.subTest(words=words):
                done = comity("memory", "off", *words)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertIn(part, done.stderr)


def load_tests(loader, tests, _pattern):
    return group_of(globals(), loader, tests)


if __name__ == "__main__":
    unittest.main()
