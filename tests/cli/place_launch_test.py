# SPDX-License-Identifier: BSD-3-Clause
"""`comity place --output` and `--verify` with one launcher, on this host: what the written files make of a job, and what
is said of jobs that go elsewhere. Environment: LAUNCHER (the program), COMITY_MPI, OPENMP_PROGRAM."""
import json
import os
import shlex
import sys
import tempfile
import unittest

from running import COMMAND, run

MPI, LAUNCHER, PROGRAM = (os.environ[name] for name in ("COMITY_MPI", "LAUNCHER", "OPENMP_PROGRAM"))
FORM = {"openmpi": "openmpi4", "mpich": "mpich"}[MPI]
UNBOUND = {"openmpi": ("--bind-to", "none"), "mpich": ("-bind-to", "none")}[MPI]
AS_ROOT = {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}
TWO = ("--grid", "2")
TEAM = ("--grid", "1", "--threads", "2")


def setUpModule():
    if run("place", *TWO).returncode != 0:
        print("NOT TESTED: this needs two cores, and here is one")
        sys.exit(77)


def verify(job, line):
    """(exit code, verdict)"""
    done = run("place", *job, "--verify", "--json", "--", *line, **AS_ROOT)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def cpus_of(text):
    """Those of a list as 0-3,7."""
    ends = [part.split("-") for part in text.split(",")]
    return [cpu for part in ends for cpu in range(int(part[0]), int(part[-1]) + 1)]


class Launched(unittest.TestCase):
    def line_for(self, job, folder):
        """The words of the printed line, with the launcher under test."""
        done = run("place", *job, "--output", FORM, "--to", folder, "--json", "--", PROGRAM)
        told = json.loads(done.stdout)["launch"]
        self.assertEqual(sorted(os.listdir(folder)), sorted(told["files"]))
        words = shlex.split(told["line"])
        self.assertEqual(words[0], "mpirun")
        return [LAUNCHER, *words[1:]]

    def check_as_planned(self, job, ranks, threads):
        with tempfile.TemporaryDirectory() as folder:
            code, verdict = verify(job, self.line_for(job, folder))
        self.assertEqual((code, verdict["findings"]), (0, []))
        self.assertEqual((verdict["as_planned"], verdict["ranks"], verdict["threads"], verdict["hosts"]),
                         (True, ranks, threads, 1))
        self.assertEqual([(one["rank"], one["thread"]) for one in verdict["where"]],
                         [(rank, thread) for rank in range(ranks) for thread in range(threads // ranks)])
        for one in verdict["where"]:
            self.assertEqual(list(one), ["rank", "thread", "host", "cpus", "cpu", "memory"])
            self.assertIn(one["cpu"], [None, *cpus_of(one["cpus"])])

    def test_ranks_are_where_the_written_files_put_them(self):
        self.check_as_planned(TWO, 2, 2)

    def test_threads_are_where_the_wrapper_puts_them(self):
        self.check_as_planned(TEAM, 1, 2)

    if MPI == "mpich":  # Open MPI binds to cores as this host has them, and they may be others than the described one
        def test_one_thread_starts_on_a_core_with_two_hardware_threads(self):
            self.check_as_planned(("--grid", "1", "--node-topology", "core:1 pu:2", "--hosts", "localhost"), 1, 1)


class Elsewhere(unittest.TestCase):
    def findings(self, job, *line):
        code, verdict = verify(job, [LAUNCHER, *line])
        self.assertEqual((code, verdict["as_planned"]), (1, False))
        return " ".join(verdict["findings"])

    def test_unbound_ranks_are_named(self):
        self.assertIn("rank 0 may run on CPUs", self.findings(TWO, "-n", "2", *UNBOUND, "{}"))

    def test_wrapper_of_the_program_stays_in_the_line(self):
        cpu = str(min(os.sched_getaffinity(0)))
        said = self.findings(TWO, "-n", "2", *UNBOUND, "taskset", "-c", cpu, PROGRAM)
        self.assertIn("2 threads share 1 core", said)
        _, verdict = verify(TEAM, [LAUNCHER, "-n", "1", *UNBOUND, "env", "OMP_NUM_THREADS=2", PROGRAM])
        self.assertEqual(verdict["threads"], 2, verdict["findings"])

    def test_variables_may_stand_behind_env_before_the_launcher(self):
        _, verdict = verify(TEAM, ["/usr/bin/env", "OMP_NUM_THREADS=2", LAUNCHER, "-n", "1", *UNBOUND, PROGRAM])
        self.assertEqual(verdict["threads"], 2, verdict["findings"])

    def test_program_behind_a_run_of_comity_has_its_threads(self):
        _, verdict = verify(TEAM, [LAUNCHER, "-n", "1", *UNBOUND, "env", "OMP_NUM_THREADS=2", COMMAND, "run", "--mpi", MPI, "--", PROGRAM])
        self.assertEqual(verdict["threads"], 2, verdict["findings"])

    def test_program_that_is_not_found_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "run")
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec taskset -c 0 {PROGRAM}\n")
            os.chmod(script, 0o755)
            launched = os.path.join(folder, "bind")
            with open(launched, "w", encoding="utf-8") as file:
                file.write("#!/usr/bin/env python3\nimport os, sys\nos.sched_setaffinity(0, {0})\nos.execv(sys.argv[1], sys.argv[1:])\n")
            os.chmod(launched, 0o755)
            for program, code, said in ((("./nosuchapp",), 1, "there is no program ./nosuchapp here"),
                                        ((script,), 2, "it is a script; write {} where"),
                                        (("prlimit", "--core=0", "taskset", "-c", "0", PROGRAM), 2,
                                         "whether prlimit is the program or starts taskset; write {} where"),
                                        ((launched, PROGRAM), 2, "it is a script; write {} where"),
                                        (("sh", "-c", PROGRAM), 2, "behind sh; write {} there")):
                done = run("place", *TWO, "--verify", "--", LAUNCHER, "-n", "2", *program, **AS_ROOT)
                self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
                self.assertIn(said, done.stderr)

    def test_each_part_of_a_line_has_its_hole(self):
        said = self.findings(TWO, "-n", "1", *UNBOUND, "{}", ":", "-n", "1", "{}", "input")
        self.assertIn("rank 1 may run on CPUs", said)
        self.assertNotIn("did not run", said)

    def test_part_without_a_hole_is_refused(self):
        for option in (("--verify", *TWO), ("--measure", "/dev/null")):
            done = run("place", *option, "--", LAUNCHER, "-n", "1", "{}", ":", "-n", "1", PROGRAM, **AS_ROOT)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"part 2 of the launch line has no {{}}, but another has; write it where each program stands, so that {option[0]} runs "
                          "in place of all", " ".join(done.stderr.split()))

    def test_limit_that_the_plan_does_not_keep_is_told_too(self):
        done = run("place", *TWO, "--nodes", 2, "--node-topology", "core:1", "--at-most", "node=0", "--verify", "--", LAUNCHER, "-n", "2",
                   *UNBOUND, "{}", **AS_ROOT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--at-most: no mapping was found with at most 0 at level node", done.stderr)

    def test_missing_ranks_are_named(self):
        self.assertIn("1 rank of the plan did not run: 1", self.findings(TWO, "-n", "1", *UNBOUND, PROGRAM))

    def test_threads_of_a_rank_that_is_bound_to_a_core_share_it(self):
        said = self.findings(TEAM, "-n", "1", *(word if word != "none" else "core" for word in UNBOUND),
                             "env", "OMP_NUM_THREADS=2", "{}")
        self.assertIn("2 threads share 1 core", said)


class Measured(unittest.TestCase):
    def measure(self, line, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "costs.json")
            done = run("place", "--measure", path, *words, "--", LAUNCHER, *line, **AS_ROOT)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="ascii") as file:
                written = file.read()
            planned = run("place", "--grid", "4x2", "--nodes", "2", "--node-topology", "core:4", "--objective", "time",
                          "--costs-from", path, "--cost", "node=5")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        return written, done.stdout

    def check_costs_of_one_pair(self, written):
        costs = json.loads(written)
        self.assertEqual([cost["pairs"] for cost in costs["costs"]], [1])
        self.assertNotIn("node", costs["costs"][0]["apart"])
        self.assertEqual(len(costs["costs"][0]["ns"]), len(costs["bytes"]))

    def test_pairs_of_ranks_tell_what_exchanges_cost(self):
        written, text = self.measure(("-n", "2", *UNBOUND, "{}"))
        self.check_costs_of_one_pair(written)
        self.assertIn("What an exchange costs", text)

    def test_json_is_what_stands_in_the_file(self):
        written, text = self.measure(("-n", "2", *UNBOUND, PROGRAM), "--json")
        self.check_costs_of_one_pair(written)
        self.assertEqual(text, written)

    def test_one_rank_has_nobody_to_exchange_with(self):
        done = run("place", "--measure", "/dev/null", "--", LAUNCHER, "-n", "1", *UNBOUND, "{}", **AS_ROOT)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("start a rank a core, two at least", done.stderr)


class Refusals(unittest.TestCase):
    def test_line_that_starts_nothing_is_told_with_its_own_words(self):
        done = run("place", *TWO, "--verify", "--", LAUNCHER, "--no-such-option", PROGRAM, **AS_ROOT)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("run the line by hand. It said:", done.stderr)
        self.assertIn("no-such-option", done.stderr)

    def test_program_that_cannot_be_found_in_the_line_is_asked_for(self):
        for words, part in (((LAUNCHER, "-n", "2"), "names no program"), (("sleep", "0"), "write {} where"),
                            (("A=1",), "needs the launch line")):
            done = run("place", *TWO, "--verify", "--", *words, **AS_ROOT)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
