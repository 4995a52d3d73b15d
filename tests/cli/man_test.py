# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages say what the help and the tables say."""
import re
import unittest

from running import page, run, run_json

SUBCOMMANDS = ("run", "report", "top", "memory", "topo", "place", "doctor", "env", "bench")


def plain(roff):
    """The words of a page without the marks that its texts can hold."""
    text = re.sub(r"\\f[BIR]|\\&", "", roff)
    for mark, character in ((r"\-", "-"), (r"\(aq", "'"), (r"\(ga", "`"), (r"\(ti", "~"), (r"\e", "\\")):
        text = text.replace(mark, character)
    return " ".join(text.split())


def help_items(name):
    """The words of the help page that say what each option is."""
    return re.findall(r"^  (-\S+(?:, --\S+)?)", run("help", name).stdout, re.MULTILINE)


class Pages(unittest.TestCase):
    def test_there_is_one_of_the_whole_one_a_subcommand_and_one_of_the_settings(self):
        self.assertEqual(run("--man").stdout.split(),
                         ["comity.1", *(f"comity-{name}.1" for name in SUBCOMMANDS), "comity-environment.7"])

    def test_each_opens_with_its_name_as_man_finds_it(self):
        for name in run("--man").stdout.split():
            self.assertTrue(page(name).startswith('.TH "'), name)
            self.assertRegex(plain(page(name)), rf"\.SH NAME {name[:-2]} - \w+")

    def test_the_page_of_a_subcommand_has_every_option_of_its_help(self):
        for name in SUBCOMMANDS:
            text = plain(page(f"comity-{name}.1"))
            items = help_items(name)
            self.assertIn("--json", items)
            for item in items:
                self.assertIn(item, text)

    def test_an_option_is_shown_with_our_word_for_its_value_and_nothing_else(self):
        for name in SUBCOMMANDS:
            for line in re.findall(r"^(\\fB\\?-.*)$", page(f"comity-{name}.1"), re.MULTILINE):
                self.assertRegex(plain(line), r"^(-\w, )?--[a-z-]+( [][A-Z=,.]+)?$")

    def test_the_page_of_a_subcommand_has_every_example_of_its_help(self):
        for name in SUBCOMMANDS:
            text = plain(page(f"comity-{name}.1"))
            examples = run("help", name).stdout.split("examples:\n")[1]
            for line in re.findall(r"^  (\S.*)$", examples, re.MULTILINE):
                self.assertIn(" ".join(line.split()), text)

    def test_the_page_of_settings_has_every_row_of_the_table(self):
        text = plain(page("comity-environment.7"))
        for row in run_json("env")["settings"]:
            self.assertIn(f"{row['name']} Range {row['range']}", text)
            self.assertIn(" ".join(row["help"].split()), text)

    def test_the_page_of_the_whole_names_every_subcommand(self):
        for name in SUBCOMMANDS:
            self.assertIn(f"comity-{name}(1)", plain(page("comity.1")))

    def test_a_page_that_does_not_exist_gets_the_nearest_one(self):
        done = run("--man", "comity-tpoo.1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('no manual page "comity-tpoo.1"; did you mean comity-topo.1?', done.stderr)

    def test_a_word_too_many_is_refused(self):
        self.assertEqual(run("--man", "comity.1", "comity.1").returncode, 2)


if __name__ == "__main__":
    unittest.main()
