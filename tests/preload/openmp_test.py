# SPDX-License-Identifier: BSD-3-Clause
"""Parallel regions of OpenMP: told of a runtime that has OMPT, not told of one that has not, and never taken from another tool
where nobody wants metrics."""
import json
import os
import re
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
TWO_POINTS = 0.02
TRIES = 5  # what else runs on the machine may come between the clocks of the program and those of the runtime
RANKS = 2


class Case(unittest.TestCase):
    def run_teams(self):
        """(metrics as JSON, the report as text, what each rank has taken by its own clock)"""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            environment = {**os.environ, "TMPDIR": folder, "OMP_WAIT_POLICY": "passive"}
            run = subprocess.run([COMITY, "run", "--record", record, "--", *LAUNCH, "-n", str(RANKS), PROGRAM, folder],
                                 capture_output=True, text=True, timeout=50, check=False, env=environment)
            self.assertEqual(run.returncode, 0, run.stderr)
            texts = [subprocess.run([COMITY, "report", *options, record], capture_output=True, text=True, timeout=50,
                                    check=True, env=environment).stdout for options in (["--json"], [])]
            ranks = []
            for rank in range(RANKS):
                with open(os.path.join(folder, f"rank-{rank}.json"), encoding="utf-8") as file:
                    ranks.append(json.load(file))
            return json.loads(texts[0])["metrics"], texts[1], ranks


class Told(Case):
    def assert_teams(self, region, count, threads, spent_ns):
        """Where nothing disturbs the program its least and most are one number, and what is told lies within 2 points of it."""
        teams = region["openmp"]
        self.assertEqual(teams["parallel_regions"], count)
        self.assertEqual(teams["largest_team"], threads)
        two_points_s = TWO_POINTS * region["wall_s"]
        self.assertGreaterEqual(teams["inside_s"], sum(spent["least"] for spent in spent_ns) / 1e9 - two_points_s)
        self.assertLessEqual(teams["inside_s"], sum(spent["most"] for spent in spent_ns) / 1e9 + two_points_s)
        self.assertAlmostEqual(teams["mean_team"], threads)

    def test_regions_threads_and_time_are_those_of_the_program(self):
        metrics, text, ranks = self.run_teams()
        self.assertEqual(metrics["openmp"], "told")
        self.assertEqual(metrics["threads"]["asked"], "MPI_THREAD_FUNNELED")
        regions = {region["region"]: region for region in metrics["regions"]}
        self.assert_teams(regions["(run)"], 3, 2, [rank["narrow"] for rank in ranks])
        self.assert_teams(regions["wide"], 5, 3, [rank["wide"] for rank in ranks])
        self.assertGreaterEqual(regions["(run)"]["openmp"]["outside_s"], RANKS * 0.01)
        self.assertRegex(text, r"wide +5 +[\d.]+ +[\d.]+ +3 ")


class Places(unittest.TestCase):
    """Each parallel region by the place where it begins, and how well its team worked, within 2 points of the program's own clocks."""

    @classmethod
    def setUpClass(cls):
        for _ in range(TRIES):
            cls.measure()
            if all(abs(told - known) <= TWO_POINTS for _, _, told, known in cls.figures()):
                break

    @classmethod
    def figures(cls):
        for name, known in cls.known.items():
            for figure in ("parallel", "load_balance", "fork_join"):
                yield name, figure, cls.places[name]["efficiency"][figure], known[figure]

    @classmethod
    def measure(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        record, answer = os.path.join(folder.name, "out"), os.path.join(folder.name, "known.json")
        environment = {**os.environ, "TMPDIR": folder.name, "OMP_WAIT_POLICY": "passive"}
        run = subprocess.run([COMITY, "run", "--record", record, "--", *LAUNCH, "-n", "1", PROGRAM, answer],
                             capture_output=True, text=True, timeout=50, check=False, env=environment)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        told, cls.page, cls.csv = (subprocess.run([COMITY, "report", *words, record], capture_output=True, text=True, timeout=50,
                                                  check=True, env=environment).stdout for words in (["--json"], [], ["--csv=openmp"]))
        cls.places = {re.search(r"\((\w+)\+0x", row["place"]).group(1): row for row in json.loads(told)["metrics"]["openmp_regions"]}
        with open(answer, encoding="utf-8") as file:
            cls.known = json.load(file)

    def test_places_are_told_apart_by_the_code_that_is_there(self):
        self.assertEqual({name: row["count"] for name, row in self.places.items()},
                         {name: row["count"] for name, row in self.known.items()})
        self.assertEqual({name: row["largest_team"] for name, row in self.places.items()},
                         {"uneven": 2, "halves": 2, "tasks": 2, "alone": 1, "nested": 2})

    def test_efficiencies_are_those_of_the_threads(self):
        for name, figure, told, known in self.figures():
            with self.subTest(region=name, figure=figure):
                self.assertAlmostEqual(told, known, delta=TWO_POINTS)

    def test_none_is_above_one_and_they_fit_together(self):
        for name, row in self.places.items():
            told = row["efficiency"]
            self.assertTrue(all(0 < figure <= 1 for figure in told.values()), name)
            self.assertAlmostEqual(told["load_balance"] * told["fork_join"], told["parallel"], msg=name)
            self.assertAlmostEqual(row["mean_team"], row["largest_team"], msg=name)

    def test_page_and_table_have_them_too(self):
        for name, row in self.places.items():
            self.assertRegex(self.page, rf"\({name}\+0x\w+\) +{row['count']} +[\d.]+ +{row['mean_team']:.2f} +{row['efficiency']['parallel']:.2f} ")
            self.assertIn(f'"{row["place"]}",{row["count"]},1,', self.csv)


class Silent(Case):
    def test_it_says_that_it_cannot_tell(self):
        metrics, text, _ranks = self.run_teams()
        self.assertEqual(metrics["openmp"], "not told")
        self.assertEqual([region["openmp"] for region in metrics["regions"]], [None, None])
        self.assertIn("OpenMP: the runtime tells of no parallel regions (GNU's cannot)", text)


class Tools(unittest.TestCase):
    """A program with one parallel region and no MPI; the other tool stands behind our library."""

    def said(self, **environment):
        preload = os.environ["COMITY_LIBRARY"] + ":" + os.environ["COMITY_OTHER_TOOL"]
        run = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=50, check=True,
                             env={**os.environ, "LD_PRELOAD": preload, **environment})
        self.assertEqual(run.stdout, "2 threads\n")
        return run.stderr

    def test_the_next_tool_is_asked_where_nobody_wants_metrics(self):
        self.assertRegex(self.said(COMITY_METRICS="off"), r"^asked by .+\n$")

    def test_with_metrics_the_first_tool_is_ours(self):
        self.assertEqual(self.said(COMITY_METRICS="on"), "")


def load_tests(loader, tests, _pattern):
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(globals()[group]) if group else tests


if __name__ == "__main__":
    unittest.main()
