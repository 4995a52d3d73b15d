# SPDX-License-Identifier: BSD-3-Clause
"""Behind which calls and in which regions the ranks of a job grew, and which places of code hold what in the end."""
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
MEGA = 1 << 20
SMALL, BLOCKS = 1000, 5000


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            done = subprocess.run([COMITY, "run", "--memory", "--record", record, "--", *LAUNCH, "-n", "2", PROGRAM], capture_output=True,
                                  text=True, timeout=50, check=False)
            assert done.returncode == 0, done.stderr
            cls.ranks = json.loads(cls.report(record, "--json"))["memory"]["ranks"]
            cls.text = cls.report(record)
            cls.growth_rows = list(csv.DictReader(io.StringIO(cls.report(record, "--csv=memory-growth"))))
            cls.held_rows = list(csv.DictReader(io.StringIO(cls.report(record, "--csv=memory-held"))))
        assert len(cls.ranks) == 2

    @staticmethod
    def report(record, *words):
        return subprocess.run([COMITY, "report", record, *words], capture_output=True, text=True, timeout=50, check=True).stdout

    def near(self, bytes_told, bytes_known):
        self.assertAlmostEqual(bytes_told, bytes_known, delta=max(bytes_known / 100, 65536))


class Growth(Case):
    def grown(self, rank, component, region=None, function=None):
        return sum(row["grown_bytes"] for row in self.ranks[rank]["growth"] if row["component"] == component
                   and region in (None, row["region"]) and function in (None, row["function"]))

    def test_a_region_has_what_grew_in_it(self):
        for rank in 0, 1:
            self.near(self.grown(rank, "application", "setup"), 40 * MEGA)
            self.assertGreaterEqual(self.grown(rank, "total", "setup"), 40 * MEGA - 65536)
            self.assertLess(self.grown(rank, "mpi", "setup"), MEGA)

    def test_so_has_the_program_between_calls(self):
        for rank in 0, 1:
            self.near(self.grown(rank, "application", "setup", "(between calls)"), 40 * MEGA)

    def test_a_call_has_what_became_resident_inside_it(self):
        self.near(self.grown(1, "application", "exchange", "MPI_Bcast"), 32 * MEGA)
        self.assertLess(self.grown(0, "application", "exchange"), MEGA)

    def test_a_level_is_a_region_and_owners_are_told_apart_in_it(self):
        for rank in 0, 1:
            self.near(self.grown(rank, "mpi", "MPI_Pcontrol(3)"), 24 * MEGA)
            self.assertLess(self.grown(rank, "application", "MPI_Pcontrol(3)"), MEGA)

    def test_calls_that_make_something_have_what_they_made(self):
        for rank in 0, 1:
            self.assertGreater(self.grown(rank, "mpi", "duplicates", "MPI_Comm_dup"), 80 * 500)

    def test_each_row_says_how_often_and_how_much_at_once(self):
        for rank in self.ranks:
            self.assertTrue(rank["growth"])
            for row in rank["growth"]:
                self.assertGreaterEqual(row["times"], 1)
                self.assertLessEqual(row["largest_bytes"], row["grown_bytes"])
                self.assertLessEqual(row["grown_bytes"], row["times"] * row["largest_bytes"])
                self.assertGreaterEqual(row["shrunk_bytes"], 0)

    def test_the_text_names_most_first_and_no_more_than_ten(self):
        lines = self.text.split("seen behind\n")[1].split("\n\n")[0].splitlines()
        rows = [line for line in lines if not line.startswith("  and ")]
        self.assertLessEqual(len(rows), 10)
        self.assertRegex(rows[0], r"^ +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+ +\d+\.\d\d +[01]  \S")
        self.assertTrue(any(line.endswith("(between calls) in setup") for line in rows), rows)
        grown = [float(line.split()[0]) for line in rows]
        self.assertEqual(grown, sorted(grown, reverse=True))

    def test_rows_for_a_spreadsheet_are_the_same(self):
        self.assertEqual(len(self.growth_rows), sum(len(rank["growth"]) for rank in self.ranks))
        self.assertEqual(int(self.growth_rows[0]["grown_bytes"]), self.ranks[0]["growth"][0]["grown_bytes"])


class Held(Case):
    def test_places_of_code_hold_what_they_have_not_given_back(self):
        for rank in self.ranks:
            held = {row["place"]: row for row in rank["held"] if row["component"] == "application"}
            most = [row for row in held.values() if row["bytes"] >= MEGA]
            self.assertEqual([(row["bytes"], row["blocks"]) for row in most], [(BLOCKS * SMALL, BLOCKS), (3 * MEGA, 1)])
            self.assertTrue(most[0]["place"].startswith(os.path.basename(PROGRAM) + "+0x"))
            self.assertRegex(most[1]["place"], r"\+0x[0-9a-f]+ \(hold_a_large_block\+0x[0-9a-f]+\)$")

    def test_places_come_to_what_a_component_holds(self):
        for rank in self.ranks:
            for name, figures in rank["components"].items():
                if name in ("comity", "libc", "unknown") or figures["held_bytes"] < 65536:
                    continue  # Comity works on while it looks
                told = sum(row["bytes"] for row in rank["held"] if row["component"] == name)
                self.near(told, figures["held_bytes"])

    def test_small_blocks_are_found(self):
        """Of MPI's own there are thousands, small and large."""
        for rank in self.ranks:
            held = rank["components"]["mpi"]["held_bytes"]
            found = sum(row["bytes"] for row in rank["held"] if row["component"] == "mpi" and row["place"] != "(elsewhere)")
            self.assertGreater(found, held / 2)

    def test_the_text_names_them(self):
        self.assertRegex(self.text, r"asked for and not given back when ranks were last asked \[MiB, all ranks\]: \w+ \d")
        self.assertRegex(self.text, r"\n +6\.00 +2  application +\S+\+0x\w+ \(hold_a_large_block\+0x\w+\)\n")

    def test_rows_for_a_spreadsheet_are_the_same(self):
        self.assertEqual(len(self.held_rows), sum(len(rank["held"]) for rank in self.ranks))
        self.assertEqual(int(self.held_rows[0]["bytes"]), self.ranks[0]["held"][0]["bytes"])


def load_tests(loader, tests, _pattern):
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(globals()[group]) if group else tests


if __name__ == "__main__":
    unittest.main()
