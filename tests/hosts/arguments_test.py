# SPDX-License-Identifier: BSD-3-Clause
"""What tools/emulated-hosts says before it makes anything: to words that it does not understand, and where it cannot
work. This needs no root."""
import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import unittest
from importlib.machinery import SourceFileLoader
from unittest import mock

import hosts

sys.path.insert(0, str(hosts.TOOL.with_name("hosts")))
import abilities


def say(*words, **how):
    done = subprocess.run([hosts.TOOL, *words], capture_output=True, text=True, check=False, **how)
    return done.returncode, done.stdout + done.stderr


class Words(unittest.TestCase):
    def expect_refused(self, words, *sentences):
        status, said = say(*words)
        self.assertEqual(status, 2, said)
        for sentence in sentences:
            self.assertIn(sentence, said)

    def test_the_help_teaches(self):
        for words in (("--help",), ("run", "--help")):
            self.assertEqual(say(*words)[0], 0)
        said = say("--help")[1]
        for word in ("examples:", "--delay 100us", "EMULATED_HOSTS_AGENT", "exit status:", "77"):
            self.assertIn(word, said)

    def test_a_missing_command_is_asked_for(self):
        self.expect_refused(("run", "--hosts", "2"), "the command is missing; write it behind --")
        self.expect_refused(("run", "--"), "the command is missing")

    def test_a_wrong_number_is_named_with_what_it_may_be(self):
        for words in (("--hosts", "0"), ("--hosts", "17"), ("--hosts", "two")):
            self.expect_refused(("run", *words, "--", "true"), f"'{words[1]}' is not a number from 1 to 16")
        self.expect_refused(("run", "--slots", "-1", "--", "true"))

    def test_a_rate_or_delay_without_unit_is_named_with_an_example(self):
        for text in ("100", "1h", "0us", "20s", "-1us", ""):
            self.expect_refused(("run", f"--delay={text}", "--", "true"), f"'{text}' is no delay", "100us")
        for text in ("1000", "0gbit", "1.5gbit", "1gbit; reboot"):
            self.expect_refused(("check", f"--rate={text}"), f"'{text}' is no rate", "100mbit")


class Abilities(unittest.TestCase):
    """What is missing, with machines made of fakes."""

    def missing(self, refused=None, absent=(), user=0):
        with mock.patch("os.geteuid", return_value=user), \
             mock.patch("shutil.which", side_effect=lambda name: None if name in absent else f"/bin/{name}"), \
             mock.patch("abilities.try_out", side_effect=lambda ability: "EPERM" if ability is refused else ""):
            return abilities.missing("1gbit", 1000)

    def test_nothing_is_missing_where_all_is_allowed(self):
        self.assertEqual(self.missing(), "")

    def test_who_is_not_root_is_told(self):
        self.assertIn("needs root, and this is user 1000; try sudo", self.missing(user=1000))

    def test_a_missing_program_is_named_with_its_package(self):
        for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("cc", "gcc")):
            self.assertRegex(self.missing(absent=(program,)), f"no program {program}\\b.*install {package}")

    def test_what_the_kernel_refuses_is_named_with_its_words_and_a_remedy(self):
        for ability in (abilities.RIGHTS, *abilities.ALWAYS, abilities.RATE, abilities.DELAY):
            self.assertIn(f"{ability.words} (EPERM); {ability.remedy}", self.missing(refused=ability))

    def test_the_kernels_words_are_the_last_line_that_was_said(self):
        with mock.patch("abilities.NAMESPACES", ("env",)):
            refused = abilities.Ability("", "echo first >&2; echo last >&2; false", "")
            self.assertEqual(abilities.try_out(refused), "last")
            self.assertEqual(abilities.try_out(abilities.Ability("", "true", "")), "")

    def test_where_it_cannot_work_its_status_is_that_of_a_skipped_test(self):
        loader = SourceFileLoader("tool", str(hosts.TOOL))
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("tool", loader))
        loader.exec_module(tool)
        said = io.StringIO()
        with mock.patch("os.geteuid", return_value=1000), mock.patch("sys.argv", ["", "run", "--", "true"]), \
             contextlib.redirect_stderr(said):
            self.assertEqual(tool.main(), hosts.SKIPPED)
        self.assertIn("emulated-hosts: cannot emulate hosts: this needs root", said.getvalue())


if __name__ == "__main__":
    unittest.main()
