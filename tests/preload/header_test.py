# SPDX-License-Identifier: BSD-3-Clause
"""What a record tells of its run beside its figures: how it was started and built, whose clock is how far from rank 0's, and when
regions were."""
import csv
import io
import json
import os
import re
import subprocess
import unittest

from metrics_test import COMITY, LAUNCH, PROGRAM, Case

EVENTS = os.environ["COMITY_EVENTS"]
TURNS = 40


class Recorded(Case):
    def run_line(self, *words, environment=(), options=()):
        command = [COMITY, "run", "--record", self.record, *options, "--", *words]
        run = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "TMPDIR": self.scratch, **dict(environment)})
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def told(self):
        return json.loads(self.report("--json"))["run"]

    def facts_of(self, rank):
        run = self.told()
        return {**run["facts"], **run["facts_of_ranks"].get(str(rank), {})}

    def events_output(self):
        run = subprocess.run([EVENTS, self.record], capture_output=True, text=True, timeout=50, check=True)
        return run.stdout.splitlines()

    def series(self):
        """{(rank, name): (how many samples, their maximum)}"""
        lines = [line.split() for line in self.events_output() if line.startswith("#")]
        return {(int(words[1]), words[2]): (int(words[3]), float(words[4])) for words in lines}

    def events(self, name):
        """Of all ranks, in the order of their begins by rank 0's clock."""
        keys = ("rank", "begin", "end", "own", "count", "error")
        lines = [line.split() for line in self.events_output() if not line.startswith("#")]
        return [dict(zip(keys, (int(words[0]), *map(int, words[3:])))) for words in lines if words[2] == name]


def moves_clock(seconds):
    """A command that starts a program whose clock is so much ahead, or None where the kernel or our rights forbid it."""
    for command in (["unshare", "-T"], ["unshare", "-r", "-T"]):
        command += ["--monotonic", str(seconds)]
        try:
            if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
                return command
        except FileNotFoundError:
            return None
    return None


class Clocks(Recorded):
    def test_ranks_of_one_clock_need_no_measurement(self):
        self.run_line(*LAUNCH, "-n", "2", PROGRAM)
        for rank in 0, 1:
            facts = self.facts_of(rank)
            for moment in "begin", "end":
                self.assertEqual(facts[f"clock_offset_{moment}_ns"], "0")
                self.assertEqual(facts[f"clock_offset_{moment}_error_ns"], "0")


class MovedClocks(Recorded):
    AHEAD_S = 5000

    def test_events_of_two_clocks_stand_in_true_order(self):
        ahead = moves_clock(self.AHEAD_S)
        if ahead is None:
            self.skipTest("NOT TESTED: no namespace of time can be made here (unshare -T)")
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, "turns", ":", "-n", "1", *ahead, PROGRAM, "turns")
        facts = self.facts_of(1)
        for moment in "begin", "end":
            offset, error = (int(facts[f"clock_offset_{moment}_{what}"]) for what in ("ns", "error_ns"))
            self.assertGreater(error, 0)
            self.assertLess(error, self.AHEAD_S * 10**9)
            self.assertLessEqual(abs(offset + self.AHEAD_S * 10**9), error, moment)
        turns = self.events("turn")
        self.assertEqual(len(turns), TURNS)
        off = 0
        for rank in 0, 1:
            own = [turn["own"] for turn in turns if turn["rank"] == rank]
            self.assertEqual(len(own), TURNS // 2)
            self.assertEqual(own, sorted(own))
            off = own[0] - off
        self.assertGreater(off, (self.AHEAD_S - 60) * 10**9, "as they stand they are far apart")
        by_turn = [[turn for turn in turns if turn["rank"] == rank] for rank in (0, 1)]
        in_turn = [by_turn[i % 2][i // 2] for i in range(TURNS)]
        for before, after in zip(in_turn, in_turn[1:]):
            self.assertLessEqual(before["end"], after["begin"] + before["error"] + after["error"])


class Spans(Recorded):
    def test_each_visit_of_a_region_is_one(self):
        self.run_line(*LAUNCH, "-n", "2", PROGRAM, "turns")
        for rank in 0, 1:
            turns = [turn for turn in self.events("turn") if turn["rank"] == rank]
            self.assertEqual(sum(turn["count"] for turn in turns), TURNS // 2)
            ring, = (ring for ring in self.events("ring") if ring["rank"] == rank)
            self.assertEqual(ring["count"], 1)
            self.assertGreaterEqual(ring["begin"], max(turn["end"] for turn in turns))


class Flight(Recorded):
    SILENT_NS = 500_000_000
    MOST = 2 * 20 + 1  # requests, and the call that waits for them; more, where one of the ways to complete them were not seen

    def test_what_is_in_flight_and_when_nothing_is_injected(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, "flight")
        flight = json.loads(self.report("--json"))["metrics"]["flight"]
        self.assertEqual(flight["most_in_flight"], self.MOST)
        self.assertGreaterEqual(flight["longest_gap_s"], self.SILENT_NS * 1e-9)
        self.assertEqual(flight["gap_region"], "quiet")
        self.assertEqual(flight["injections"], 5 * 20 + 1 + 1 + 3)  # five ways, the ring of one rank, its reductions
        text = self.report()
        self.assertIn(f"at most {self.MOST} calls at once (rank 0)", text)
        self.assertRegex(text, r"the longest gap between injections was \S+ s \(rank 0 in quiet\)")

    def test_persistent_requests_are_in_flight_while_they_are_started(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, "persist")
        flight = json.loads(self.report("--json"))["metrics"]["flight"]
        self.assertEqual(flight["most_in_flight"], self.MOST + 1)  # one to nobody

    def test_what_persistent_requests_were_changes_nothing_later(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, "persist-few")
        flight = json.loads(self.report("--json"))["metrics"]["flight"]
        self.assertEqual(flight["most_in_flight"], self.MOST)

    def test_the_record_has_both_over_time(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, "flight")
        series = self.series()
        count, most = series[(0, "calls_in_flight")]
        self.assertGreaterEqual(count, 2)
        self.assertEqual(most, self.MOST)
        self.assertGreaterEqual(series[(0, "longest_injection_gap_ns")][1], self.SILENT_NS)
        rows = list(csv.DictReader(io.StringIO(self.report("--csv=flight"))))
        self.assertEqual(max(int(row["most_in_flight"]) for row in rows), self.MOST)
        self.assertGreaterEqual(max(float(row["longest_gap_s"]) for row in rows), self.SILENT_NS * 1e-9)
        told = json.loads(self.report("--json"))["metrics"]["flight_over_time"]
        self.assertEqual([row["most_in_flight"] for row in told], [int(row["most_in_flight"]) for row in rows])

    def test_requests_of_a_job_are_all_taken_back(self):
        self.run_line(*LAUNCH, "-n", "2", PROGRAM)
        flight = json.loads(self.report("--json"))["metrics"]["flight"]
        self.assertGreaterEqual(flight["most_in_flight"], 2)
        self.assertLessEqual(flight["most_in_flight"], 3)  # a send, a receive, and a call that waits

    def test_counts_alone_tell_nothing_of_it(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, environment={"COMITY_METRICS": "counts"}.items())
        self.assertIsNone(json.loads(self.report("--json"))["metrics"]["flight"])
        self.assertEqual([name for _, name in self.series() if "gap" in name or "flight" in name], [])


class Header(Recorded):
    def build_id(self, path):
        notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
        found = re.search(r"Build ID: (\w+)", notes)
        return found.group(1) if found else None

    def test_it_tells_how_the_run_was_started(self):
        self.run_line(*LAUNCH, "-n", "2", PROGRAM, "two words", environment={"OMP_NUM_THREADS": "3"}.items())
        for rank in 0, 1:
            facts = self.facts_of(rank)
            self.assertEqual(facts["launcher"], f"{' '.join(LAUNCH)} -n 2 {PROGRAM} 'two words'")
            self.assertEqual(facts["arguments"], f"{PROGRAM} 'two words'")
            self.assertEqual(facts["program"], os.path.basename(PROGRAM))
            self.assertEqual(facts["host"], os.uname().nodename)
            self.assertEqual(facts["environment OMP_NUM_THREADS"], "3")
            self.assertNotIn("environment COMITY_RECORD_LAUNCHER", facts, "it is a fact already")
            self.assertEqual(facts["setting COMITY_RECORD_DIRECTORY"], self.record)
            self.assertEqual(facts["setting COMITY_RECORD_BUDGET_KB"], "4096")
            self.assertRegex(facts["binding"], r"^[0-9,-]+$")

    def test_it_tells_what_was_built_how(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM)
        facts = self.facts_of(0)
        self.assertEqual(facts["program build id"], self.build_id(PROGRAM) or "none")
        library = facts["mpi library"]
        self.assertRegex(library, "^libmpi")
        for name in library, "libc.so.6":
            path, build = facts[f"library {name}"].split(", ")
            self.assertEqual(path, os.path.realpath(path), "a link has no version")
            self.assertEqual(build, f"build id {self.build_id(path)}", name)
        self.assertRegex(facts[f"library {library}"].split(", ")[0], r"\.so(\.\d+){3}$")

    def test_it_tells_which_comity_recorded(self):
        self.run_line(*LAUNCH, "-n", "1", PROGRAM)
        facts = self.facts_of(0)
        version = subprocess.run([COMITY, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(f"comity {facts['comity']}\n", version)
        ours, = (told for fact, told in facts.items() if fact.startswith("library libcomity_preload-"))
        path, build = ours.split(", ")
        own = self.build_id(path)
        self.assertEqual(build, f"build id {own}" if own else "linked without a build id")

    def test_what_the_report_shows(self):
        self.run_line(*LAUNCH, "-n", "2", PROGRAM)
        text = self.report()
        self.assertIn(f"launcher: {' '.join(LAUNCH)} -n 2 {PROGRAM}\n", text)
        self.assertRegex(text, rf"{os.path.basename(PROGRAM)} is build \w+; libmpi\S+ is /\S+, build id \w+\n")
        self.assertNotIn("clocks:", text, "there is one")

    def test_a_binding_of_each_rank_and_a_program_of_each(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("NOT TESTED: this needs two processors")
        words = [["taskset", "-c", str(cpu), PROGRAM, f"rank{i}"] for i, cpu in enumerate(cpus[:2])]
        self.run_line(*LAUNCH, "-n", "1", *words[0], ":", "-n", "1", *words[1])
        for rank in 0, 1:
            facts = self.facts_of(rank)
            self.assertEqual(facts["binding"], str(cpus[rank]))
            self.assertEqual(facts["arguments"], f"{PROGRAM} rank{rank}")

    def test_without_the_command_the_launcher_is_found_among_the_parents(self):
        library, = (words[1] for words in map(lambda line: line.split("="), self.dry_run().split())
                    if words[0] == "LD_PRELOAD")
        rank = ["env", f"LD_PRELOAD={library}", f"COMITY_RECORD_DIRECTORY={self.record}", "MY_TOKEN=1234", PROGRAM]
        run = subprocess.run([*LAUNCH, "-n", "1", *rank], capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "TMPDIR": self.scratch})
        self.assertEqual(run.returncode, 0, run.stderr)
        launcher = self.facts_of(0)["launcher"]
        self.assertIn("-n 1 env ", launcher)
        self.assertIn(PROGRAM, launcher)
        self.assertIn("'MY_TOKEN=(hidden)'", launcher)
        self.assertNotIn("1234", launcher)

    def dry_run(self):
        command = [COMITY, "run", "--dry-run", "--", PROGRAM]
        return subprocess.run(command, capture_output=True, text=True, timeout=50, check=True).stdout

    def test_who_has_no_launcher_says_so(self):
        variables = self.dry_run().split()[0]
        run = subprocess.run(["setsid", "--fork", "--wait", "env", variables, f"COMITY_RECORD_DIRECTORY={self.record}", PROGRAM],
                             capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "TMPDIR": self.scratch})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(self.facts_of(0)["launcher"], "^unknown: no launcher")

    def test_no_secret_of_the_environment_is_kept(self):
        secrets = {"UCX_SECRET": "pa55word", "OMP_TOKEN": "pa55word", "HOME_MADE": "pa55word"}
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, environment=secrets.items())
        with open(os.path.join(self.record, "run.comity"), "rb") as file:
            self.assertNotIn(b"pa55word", file.read())

    def test_a_small_record_keeps_its_tables(self):
        many = {f"UCX_VARIABLE_{i}": 300 * "x" for i in range(100)}
        self.run_line(*LAUNCH, "-n", "1", PROGRAM, 4000 * "y", environment=many.items(), options=["--record-budget", "64"])
        facts = self.facts_of(0)
        self.assertNotIn("incomplete", facts)
        self.assertRegex(facts["environment"], r"^\d+ more variables found no room$")
        self.assertTrue(facts["arguments"].endswith("..."))
        self.assert_known(json.loads(self.report("--json"))["metrics"], 1)


def load_tests(loader, tests, _pattern):
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(globals()[group]) if group else tests


if __name__ == "__main__":
    unittest.main()
