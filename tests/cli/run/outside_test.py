# SPDX-License-Identifier: BSD-3-Clause
"""A program that no preloaded library can see, under `comity run --metrics` and `--memory`: what is told of it, and how it ends. Started by
ctest with OUTSIDE_PROGRAM (outside.c, linked statically) set, and as jobs.py says."""
import os
import re
import signal
import subprocess
import tempfile
import unittest

from jobs import ENVIRONMENT, RANKS, SECONDS, bare, comity, run
from terminal import Terminal

PROGRAM = os.environ["OUTSIDE_PROGRAM"]
METRICS = ("--metrics",)


def alone(*words):
    return comity(PROGRAM, *map(str, words), options=METRICS)


class Outside(unittest.TestCase):
    def test_a_job_s_time_of_processors_is_told(self):
        done = run(comity(*bare(0.2, 0, program=PROGRAM), options=METRICS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is linked statically", done.stderr)
        told = re.search(r"seen from outside: ([\d.]+) s, (\d+) processor", done.stderr)
        used = re.search(r"\n  ([\d.]+) s of processors' time, (\d+) %", done.stderr)
        self.assertTrue(told and used, done.stderr)
        self.assertGreaterEqual(float(used[1]), RANKS * 0.2)
        self.assertLessEqual(float(used[1]), int(told[2]) * (float(told[1]) + 0.05))
        share = 100 * float(used[1]) / (int(told[2]) * float(told[1]))
        self.assertAlmostEqual(int(used[2]), share, delta=1)

    # Of each rank nothing was told, and of the largest process one figure.
    def test_the_memory_of_each_rank_and_its_maps_are_told(self):
        done = run(comity(*bare(0.6, 0, 48, program=PROGRAM), options=("--memory",)))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"^ +(\d+) +\d+ +([\d.]+) MiB +([\d.]+) MiB +([\d.]+) MiB +([\d.]+) MiB ", done.stderr, re.MULTILINE)
        self.assertEqual(sorted(int(row[0]) for row in rows), list(range(RANKS)), done.stderr)
        for _, *figures in rows:
            resident, peak, share, own = map(float, figures)
            self.assertTrue(48 <= resident < 52 and 48 <= peak < 52, done.stderr)
            self.assertTrue(0 < own <= share < 52, done.stderr)  # of maps that may have been read before all was there
        anonymous = re.search(r"\n +anonymous +([\d.]+) ([MK])iB", done.stderr)  # as those
        self.assertLess(0, float(anonymous[1]) / (1 if anonymous[2] == "M" else 1024), done.stderr)
        self.assertLess(float(anonymous[1]) / (1 if anonymous[2] == "M" else 1024), RANKS * 48 + 1, done.stderr)
        self.assertEqual(" ".join(done.stderr.split()).count("is linked statically: its libraries are part of the application"), RANKS)
        self.assertRegex(done.stderr, r"maps are as of \S+ \S+ before the last look")

    # They were dropped without a word.
    def test_what_takes_our_library_is_left_out_with_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "record")
            done = run(comity(PROGRAM, "0", "0", options=("--memory", "--method", "delta", "--record", record)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("left out, for it takes Comity's library in the program: --record, --method delta",
                          " ".join(done.stderr.split()))
            self.assertFalse(os.path.exists(record))

    def test_a_setting_that_does_not_count_is_told(self):
        done = run(comity(PROGRAM, "0", "0", options=("--memory",)), COMITY_MEMORY="delta")
        self.assertIn("COMITY_MEMORY=delta does not count, for --memory sets it to on; --method delta says the same", " ".join(done.stderr.split()))

    def test_the_memory_of_a_program_without_a_launcher_is_told(self):
        done = run(comity(PROGRAM, "0.4", "3", "48", options=("--memory",)))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"\nresident (48|49)(\.\d)? MiB, at its peak (48|49)(\.\d)? MiB")

    def test_the_exit_code_is_the_program_s(self):
        self.assertEqual(run(alone(0, 5)).returncode, 5)

    def test_a_signal_ends_us_as_it_ended_the_program(self):
        self.assertEqual(run(alone(0, "kill")).returncode, -signal.SIGKILL)

    def test_a_signal_to_the_command_is_passed_on(self):
        with subprocess.Popen(alone(0, "wait"), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as job:
            self.assertTrue(job.stdout.readline().startswith("pid="))
            job.send_signal(signal.SIGUSR1)
            self.assertEqual(job.wait(timeout=SECONDS), 7)

    def test_an_interrupt_of_a_process_to_the_command_alone_ends_both(self):
        for number in signal.SIGINT, signal.SIGQUIT:
            with self.subTest(number), subprocess.Popen(alone(0, "wait"), env=ENVIRONMENT, stdout=subprocess.PIPE,
                                                        stderr=subprocess.DEVNULL, text=True) as job:
                self.assertTrue(job.stdout.readline().startswith("pid="))
                job.send_signal(number)
                self.assertEqual(job.wait(timeout=SECONDS), -number)

    def test_ctrl_c_ends_both(self):
        with subprocess.Popen(alone(0, "wait"), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, start_new_session=True) as job:
            self.assertTrue(job.stdout.readline().startswith("pid="))
            os.killpg(job.pid, signal.SIGINT)
            self.assertEqual(job.wait(timeout=SECONDS), -signal.SIGINT)
            self.assertIn("seen from outside", job.stderr.read())

    # The command is stopped meanwhile, so what it passed on could come only after the terminal's was taken: the two would not be one.
    def test_an_interrupt_of_the_terminal_reaches_the_program_once(self):
        with Terminal("run", *METRICS, "--", PROGRAM, "0", "count") as terminal:
            terminal.read_until("pid=")
            os.kill(terminal.process, signal.SIGSTOP)
            terminal.wait_until_stopped()
            terminal.press(b"\x03")
            terminal.read_until("interrupts=1")
            os.kill(terminal.process, signal.SIGUSR1)
            os.kill(terminal.process, signal.SIGCONT)
            self.assertEqual(terminal.wait(), 1, terminal.text)

    def test_the_program_ends_with_a_command_that_is_killed(self):
        with subprocess.Popen(alone(0, "wait"), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as job:
            self.assertTrue(job.stdout.readline().startswith("pid="))
            job.kill()
            self.assertEqual(job.stdout.read(), "")  # comes when the program's end of the pipe is closed
            job.wait(timeout=SECONDS)

    def test_without_metrics_nobody_stays_beside_it(self):
        done = run(comity(PROGRAM, "0", "4"))
        self.assertEqual(done.returncode, 4)
        self.assertNotIn("seen from outside", done.stderr)


if __name__ == "__main__":
    unittest.main()
