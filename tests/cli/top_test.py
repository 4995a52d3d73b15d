# SPDX-License-Identifier: BSD-3-Clause
"""What `comity top` says where no rank is, what it refuses, and that it gives the terminal back."""
import os
import signal
import unittest

from running import run, run_json
from terminal import Terminal

KEYS_AND_SIGNALS = (("q", b"q"), ("Ctrl-C", b"\x03"))


class Words(unittest.TestCase):
    def test_what_makes_no_sense(self):
        for words, part in ((("--interval", "0"), "--interval"), (("--interval", "nan"), "--interval"),
                            (("--pid", "x"), "process number"), (("--job", "1", "--pid", "1"), "one of them"),
                            (("--onse",), "--once")):
            with self.subTest(words=words):
                done = run("top", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_a_process_that_is_no_rank_or_is_not_there(self):
        for option in ("--pid", "--job"):
            done = run("top", "--once", option, os.getpid())
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("comity run --metrics", done.stderr)
            self.assertIn("no such process", run("top", "--once", option, 2**31 - 1).stderr)


class Output(unittest.TestCase):
    def test_without_a_terminal_it_prints_once(self):
        done = run("top", "--interval", "0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertTrue(lines, "there is an answer where no rank is, too")
        self.assertEqual(lines.count(lines[0]), 1)
        self.assertNotIn("\033", done.stdout)

    def test_json_is_one_object_with_a_list_of_jobs(self):
        told = run_json("top", "--interval", "0.1")
        self.assertEqual(list(told), ["host", "jobs", "unreadable", "refused"])
        self.assertIsInstance(told["jobs"], list)


class OnATerminal(unittest.TestCase):
    def test_keys_end_it_and_the_terminal_is_as_before(self):
        for name, key in KEYS_AND_SIGNALS:
            with self.subTest(name), Terminal("top") as terminal:
                terminal.read_until("q ends")
                self.assertNotEqual(terminal.modes(), terminal.modes_before, "keys are read one by one")
                terminal.press(key)
                self.assertEqual(terminal.wait(), 0)
                self.assertEqual(terminal.modes(), terminal.modes_before)
                self.assertTrue(terminal.text.endswith("\033[?1049l"), repr(terminal.text[-40:]))

    def test_a_signal_ends_it_and_the_terminal_is_as_before(self):
        with Terminal("top") as terminal:
            terminal.read_until("q ends")
            os.kill(terminal.process, signal.SIGTERM)
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.modes(), terminal.modes_before)

    def test_it_can_be_stopped_and_goes_on(self):
        with Terminal("top") as terminal:
            terminal.read_until("q ends")
            terminal.press(b"\x1a")
            terminal.wait_until_stopped()
            self.assertEqual(terminal.modes(), terminal.modes_before)
            shown = len(terminal.text)
            os.kill(terminal.process, signal.SIGCONT)
            terminal.read_until("q ends", shown)
            terminal.press(b"q")
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.modes(), terminal.modes_before)

    def test_a_terminal_that_can_only_append_gets_one_table(self):
        with Terminal("top", "--interval", "0.1", TERM="dumb") as terminal:
            self.assertEqual(terminal.wait(), 0)
            self.assertNotIn("\033", terminal.text)


if __name__ == "__main__":
    unittest.main()
