# SPDX-License-Identifier: BSD-3-Clause
"""Words, exit codes and settings of the command, whatever the subcommand."""
import os
import pty
import re
import subprocess
import unittest

from running import COMMAND, KEPT, run, run_json

SUBCOMMANDS = ("run", "report", "top", "memory", "topo", "place", "doctor", "env", "bench")


def on_terminal(*words, **variables):
    """What the command writes to a terminal."""
    ours, its = pty.openpty()
    with subprocess.Popen([COMMAND, *words], env={**KEPT, **variables}, stdout=its, stderr=its) as process:
        os.close(its)
        text = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            text += piece
        process.wait()
    os.close(ours)
    return text.decode()


class Words(unittest.TestCase):
    def test_without_words_the_overview_goes_to_standard_error(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("usage: comity COMMAND", done.stderr)

    def test_help_lists_every_subcommand_and_ends_well(self):
        for words in (("--help",), ("-h",), ("help",)):
            done = run(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for name in SUBCOMMANDS:
                self.assertIn(f"\n  {name} ", done.stdout)

    def test_help_of_a_subcommand_is_the_same_page_both_ways(self):
        for name in SUBCOMMANDS:
            page = run("help", name)
            self.assertEqual(page.returncode, 0)
            self.assertEqual(page.stdout, run(name, "--help").stdout)
            self.assertIn("examples:", page.stdout)
            self.assertIn("--json", page.stdout)

    def test_an_option_is_shown_with_our_word_for_its_value_and_nothing_else(self):
        for name in SUBCOMMANDS:
            for line in run("help", name).stdout.split("examples:")[0].splitlines():
                if line.startswith("  -"):
                    shown = line.strip().split("   ")[0]
                    self.assertRegex(shown, r"^(-\w, )?--[a-z-]+( [][A-Z=,.]+)?( {2}\S.*)?$", line)

    def test_every_page_fits_into_80_columns(self):
        for words in ((), *(("help", name) for name in SUBCOMMANDS)):
            done = run(*words)
            for line in (done.stdout + done.stderr).splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_version_is_a_number(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^comity \d+\.\d+\.\d+\n$")

    def test_misspelt_subcommand_gets_the_nearest_one(self):
        for word, nearest in (("tpoo", "topo"), ("docter", "doctor"), ("evn", "env"), ("hlp", "help")):
            done = run(word)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f'no command "{word}"; did you mean {nearest}?', done.stderr)

    def test_word_that_resembles_nothing_gets_no_guess(self):
        done = run("xylophone")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("did you mean", done.stderr)

    def test_misspelt_option_gets_the_nearest_one(self):
        for name in SUBCOMMANDS:
            done = run(name, "--jsno")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("there is no option --jsno; did you mean --json?", done.stderr)

    def test_misspelt_option_before_the_subcommand_gets_the_nearest_one(self):
        self.assertIn("did you mean --version?", run("--versoin").stderr)

    def test_misspelt_variable_gets_the_nearest_one_and_nothing_else_changes(self):
        done = run("topo", "--synthetic", "core:2 pu:1", COMITY_NODE_SPIN="5")
        self.assertEqual(done.returncode, 0)
        self.assertIn("COMITY_NODE_SPIN is no setting of Comity; did you mean COMITY_NODE_SPIN_US?", done.stderr)
        self.assertNotIn("COMITY_NODE_SPIN", done.stdout)

    def test_refused_value_is_warned_of_with_the_known_ones_and_nothing_else_changes(self):
        done = run("topo", "--synthetic", "core:2 pu:1", COMITY_LOG="debgu", COMITY_NODE_SLICE_MS="5")
        self.assertEqual(done.returncode, 0)
        self.assertIn("COMITY_LOG=debgu is outside its range, error|warning|info|debug", done.stderr)
        self.assertIn("COMITY_NODE_SLICE_MS=5 is outside its range, 10..500", done.stderr)
        self.assertEqual(done.stdout, run("topo", "--synthetic", "core:2 pu:1").stdout)

    def test_empty_value_is_bad_usage_and_not_counted_as_none(self):
        for subcommand in SUBCOMMANDS:
            for option in re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+) \[?[A-Z]", run("help", subcommand).stdout.split("examples:")[0]):
                for words in ((option, ""), (f"{option}=",)):
                    done = run(subcommand, *words)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), (subcommand, words))
                    self.assertIn(f"{option} has an empty value; write one, or leave the option out", done.stderr)

    def test_empty_operand_is_bad_usage(self):
        for words in (("doctor", ""), ("topo", ""), ("report", ""), ("bench", ""), ("place", "--json", "")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("a word is empty; write what it stands for", done.stderr)

    def test_full_disk_is_a_failure(self):
        for words in (["env"], ["env", "--json"], ["doctor", "--json"],
                      ["topo", "--json", "--synthetic", "package:8 core:8 pu:2"]):
            with self.subTest(words=words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([COMMAND, *words], env=KEPT, stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("standard output", done.stderr)


class Colour(unittest.TestCase):
    def test_terminal_gets_colour(self):
        self.assertIn("\033[", on_terminal("env", TERM="xterm"))

    def test_no_color_forbids_it(self):
        self.assertNotIn("\033[", on_terminal("env", TERM="xterm", NO_COLOR="1"))

    def test_dumb_terminal_gets_none(self):
        self.assertNotIn("\033[", on_terminal("env", TERM="dumb"))

    def test_pipe_gets_none(self):
        self.assertNotIn("\033[", run("env", TERM="xterm").stdout)


class Settings(unittest.TestCase):
    def test_every_setting_has_its_default(self):
        answer = run_json("env")
        self.assertEqual(answer["unknown"], [])
        self.assertIn("COMITY_LOG", [row["name"] for row in answer["settings"]])
        for row in answer["settings"]:
            self.assertEqual((row["value"], row["set"], row["valid"]), (row["default"], False, True), row["name"])
            self.assertTrue(row["help"], row["name"])
        self.assertEqual(run("env").returncode, 0)

    def test_value_that_is_set_is_in_force(self):
        rows = {row["name"]: row for row in run_json("env", COMITY_NODE_SLICE_MS="40")["settings"]}
        self.assertEqual((rows["COMITY_NODE_SLICE_MS"]["value"], rows["COMITY_NODE_SLICE_MS"]["set"]), ("40", True))
        self.assertIn("COMITY_NODE_SLICE_MS = 40 ms (set here)", run("env", COMITY_NODE_SLICE_MS="40").stdout)

    def test_unknown_variable_is_named_with_the_nearest_and_ends_with_1(self):
        done = run("env", COMITY_LOGG="debug")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown variable COMITY_LOGG; did you mean COMITY_LOG?", done.stdout)
        self.assertEqual(run_json("env", COMITY_LOGG="debug")["unknown"],
                         [{"name": "COMITY_LOGG", "nearest": "COMITY_LOG"}])

    def test_every_value_outside_its_range_is_named_not_the_first_alone(self):
        bad = {"COMITY_LOG": "loud", "COMITY_NODE_SLICE_MS": "5"}
        done = run("env", **bad)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("REFUSED"), 2)
        rows = {row["name"]: row for row in run_json("env", **bad)["settings"]}
        self.assertEqual([name for name, row in rows.items() if not row["valid"]], list(bad))

    def test_folder_that_is_no_whole_path_is_refused(self):
        for folder in "", "tmp", "../tmp":
            done = run("env", COMITY_NODE_DIRECTORY=folder)
            self.assertEqual(done.returncode, 1, folder)
            self.assertIn("REFUSED: the setting COMITY_NODE_DIRECTORY=" + folder, done.stdout)
        self.assertEqual(run("env", COMITY_NODE_DIRECTORY="/tmp").returncode, 0)


if __name__ == "__main__":
    unittest.main()
