# SPDX-License-Identifier: BSD-3-Clause
"""What arrives in the ranks of a job and nowhere else."""
import os
import shlex
import tempfile
import unittest
from pathlib import Path

from jobs import LIBRARY, MPI, PROGRAM, RANKS, bare, comity, everywhere, run, told

INHERITED = os.environ.get("LD_PRELOAD", "")  # the sanitizers' own


class Job(unittest.TestCase):
    def run_job(self, *words, options=(), **variables):
        done = run(comity(*bare(*words), options=options), **variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_every_rank_has_the_library_and_its_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_job("show", "LD_PRELOAD", "COMITY_METRICS", "COMITY_RECORD_DIRECTORY",
                                options=("--metrics", "--record", f"{folder}/deep/run"))
            self.assertEqual(told(done.stdout, "loaded"), everywhere("yes"))
            self.assertEqual(told(done.stdout, "COMITY_METRICS"), everywhere("on"))
            self.assertEqual(told(done.stdout, "COMITY_RECORD_DIRECTORY"), everywhere(f"{folder}/deep/run"))
            for preload in told(done.stdout, "LD_PRELOAD").values():
                self.assertEqual(Path(preload.split(":")[0]).name, LIBRARY)
            self.assertTrue(Path(folder, "deep/run").is_dir())

    def test_nobody_above_a_rank_has_the_library(self):
        done = self.run_job("above", os.getpid())
        self.assertEqual(told(done.stdout, "last"), everywhere("found"))
        self.assertIn("above=clean", done.stdout)
        self.assertNotIn("above=preloaded", done.stdout)

    def test_a_preload_of_the_user_stays_behind_ours(self):
        theirs = "libm.so.6" + (":" + INHERITED if INHERITED else "")
        for preload in told(self.run_job("show", "LD_PRELOAD", LD_PRELOAD=theirs).stdout, "LD_PRELOAD").values():
            ours, rest = preload.split(":", 1)
            self.assertEqual((Path(ours).name, rest), (LIBRARY, theirs))

    def test_each_of_several_programs_has_it(self):
        line = [*bare("show", "COMITY_METRICS"), ":", "-n", "1", PROGRAM, "show", "COMITY_METRICS"]
        done = run(comity(*line, options=("--metrics",)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(told(done.stdout, "COMITY_METRICS"), everywhere("on", RANKS + 1))
        self.assertEqual(told(done.stdout, "loaded"), everywhere("yes", RANKS + 1))

    def test_what_a_dry_run_prints_is_what_is_run(self):
        line = bare("show", "LD_PRELOAD", "COMITY_METRICS")
        printed = run(comity(*line, options=("--metrics", "--dry-run"))).stdout
        self.assertEqual(len(printed.splitlines()), 1)
        by_hand = run(["/bin/sh", "-c", printed])
        self.assertEqual(by_hand.returncode, 0, by_hand.stderr)
        self.assertEqual(sorted(by_hand.stdout.splitlines()),
                         sorted(run(comity(*line, options=("--metrics",))).stdout.splitlines()))
        self.assertEqual(shlex.split(printed)[-len(line) + 1:], line[1:])

    def test_a_setting_that_is_none_starts_nothing(self):
        done = run(comity(*bare("show")), COMITY_COOP_FAR_WATCH="7")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("COMITY_COOP_FAR_WATCH=7 is outside its range, on|off"), 1, done.stderr)

    def test_a_setting_that_ranks_alone_are_given_is_told_once_a_job_and_the_program_goes_on(self):
        line = bare("show")
        given = [line[0], *(("-x", "COMITY_METRICS=maybe") if MPI == "openmpi" else ("-genv", "COMITY_METRICS", "maybe")), *line[1:]]
        done = run(comity(*given))
        self.assertEqual(done.stderr.count("COMITY_METRICS=maybe is outside its range, off|counts|on; `comity env` explains it. "
                                           "The program runs on, unwatched"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
