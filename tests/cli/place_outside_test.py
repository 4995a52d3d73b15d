# SPDX-License-Identifier: BSD-3-Clause
"""`comity place`: what it takes from outside, measured costs, divisions of others and what a probe told, and what a terminal sees
while it waits."""
import json
import os
import re
import signal
import sys
import tempfile
import time
import unittest

from running import run
from terminal import Terminal

PAPER = ("place", "--grid", "5x16", "--nodes", 10, "--node-topology", "pack:2 core:4")


class MeasuredCosts(unittest.TestCase):
    TIME = (*PAPER, "--objective", "time")

    def place(self, costs, *words, **more):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"bytes": [8, 1000], "costs": [{"apart": apart, "ns": ns} for apart, ns in costs], **more}, file)
            file.flush()
            return run(*self.TIME, "--costs-from", file.name, "--json", *words)

    def worst(self, *words, **costs):
        done = self.place([(name.split("_"), ns) for name, ns in costs.items()], *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [level["cut_max"] for level in json.loads(done.stdout)["levels"]]

    def test_mapping_follows_what_was_measured(self):
        self.assertEqual(self.worst(node=[1100, 1100], package_numa=[200, 200], l2=[100, 100]), [9, 3])
        self.assertEqual(self.worst(node=[2100, 2100], package_numa=[3100, 3100], l2=[100, 100]), [10, 2])

    def test_size_of_an_exchange_chooses_among_the_costs(self):
        costs = {"node": [1100, 2100], "package": [200, 3100], "l2": [100, 100]}
        self.assertEqual(self.worst("--message-bytes", 8, **costs), [9, 3])
        self.assertEqual(self.worst("--message-bytes", 1000, **costs), [10, 2])

    def test_cost_that_the_user_knows_better_counts(self):
        self.assertEqual(self.worst("--cost", "package=3000", "--message-bytes", 8, node=[2100, 2100], l2=[100, 100]), [10, 2])

    def test_costs_of_a_machine_that_was_not_quiet_are_taken_with_a_warning(self):
        costs = [(["node"], [1100, 1100]), (["package"], [200, 200]), (["l2"], [100, 100])]
        for unrest, said in ((1.2, ""), (12.72, "Messages took 1172 % longer than at best: something else ran.")):
            done = self.place(costs, unrest=unrest)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(bool(said), bool(done.stderr))
            self.assertIn(said, done.stderr)
        self.assertIn("unrest is a number from 1 on", self.place(costs, unrest="much").stderr)

    def test_level_of_which_nothing_was_measured_is_named(self):
        done = self.place([(["node"], [1100, 1100])])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("does not tell what crossing level package costs", done.stderr)
        self.assertIn("--cost package=NUMBER", done.stderr)

    def test_costs_without_sense_are_refused(self):
        for words, code, part in (((*self.TIME, "--costs-from", "/absent"), 1, "read the costs /absent"),
                                  ((*PAPER, "--costs-from", "f"), 2, "--costs-from has a meaning for --objective time"),
                                  ((*self.TIME, "--message-bytes", "8"), 2, "give that too"),
                                  ((*PAPER, "--measure", "f", "--", "mpirun", "{}"), 2, "leave --grid out"),
                                  (("place", "--measure", "f"), 2, "--measure needs a launch line"),
                                  (("place", "--measure", "f", "--verify", "--", "mpirun"), 2, "give one of them"),
                                  (("place", "--measure", "f", "--", "sleep", "{}"), 2, "cannot tell which MPI sleep")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(part, done.stderr)


class OddBytes(unittest.TestCase):
    """A message ends at no byte of a file, and no terminal obeys one."""
    def refused(self, option, text, *words):
        with tempfile.NamedTemporaryFile() as file:
            file.write(text)
            file.flush()
            done = run("place", option, file.name, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            return done.stderr.replace(file.name, "F")

    def test_of_each_file_are_told_in_digits(self):
        grid = ("--grid", "4")
        for words, said in ((("--graph", b"ranks 2\n0 \x1b[31m1\n"), 'F, line 2: a rank of this graph is a number from 0 to 1, not "\\x1b[31m1"'),
                            (("--graph", b"ranks 2\0\n"), 'F, line 1: how many ranks there are is a number from 1 to 16777216, not "2\\x00"'),
                            (("--hosts", b"n1\0\n", *grid), 'F, line 1: "n1\\x00" is no name of a host'),
                            (("--network", b"SwitchName=s\0 Nodes=n[1-4]\n", *grid),
                             'F, line 1: "SwitchName=s\\x00" has bytes that are no letters; write it without them'),
                            (("--network", b"SwitchName=s Nodes=n[1-4] LinkSpeed=1\x1b\n", *grid),
                             'F, line 1: "LinkSpeed=1\\x1b" has bytes that are no letters; write it without them'),
                            (("--network", b'{"switches": [{"name": "a\\u0000", "nodes": "n[1-4]"}]}', *grid),
                             'F: "a\\x00" is no name of a switch; each has one of its own, without blanks, commas and brackets')):
            self.assertEqual(self.refused(*words), f"comity place: {said}\n")

    def test_of_a_program_in_place_of_a_file_do_not_reach_the_terminal(self):
        for words in (("--network", "/bin/ls", "--grid", "4"), ("--hosts", "/bin/ls", "--grid", "4"), ("--graph", "/bin/ls")):
            done = run("place", *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertTrue(done.stderr.endswith("\n"), done.stderr)
            self.assertTrue(done.stderr[:-1].isprintable(), done.stderr)


class Partitioners(unittest.TestCase):
    """Programs of others, here scripts in their place that say what they were asked and answer with parts in turn."""
    GPART = """#!/bin/sh
echo "$1 $2 $(sed -n 2p "$3")" >>{folder}/asked
ranks=$(sed -n '2s/ .*//p' "$3")
{{ echo "$ranks"; for rank in $(seq 0 $((ranks - 1))); do echo "$rank $((rank % $2))"; done; }} >"$4"
exit {code}
"""
    # Of parts in turn as many for each as the target has room for.
    GMAP = """#!/bin/sh
echo "$1 $(cat "$3") of $(sed -n 2p "$2")" >>{folder}/asked
awk '{{for (part = 0; part < $2; ++part) for (i = 0; i < $(part + 3); ++i) parts[rank++] = part}}
END {{print rank; for (i = 0; i < rank; ++i) print i, parts[i]}}' "$3" >"$4"
exit {code}
"""
    KAFFPA = """#!{python}
import sys
sys.dont_write_bytecode = True
import kaffpa_of_others
kaffpa_of_others.answer(sys.argv[1:], "{folder}/asked")
sys.exit({code})
"""
    JOB = ("place", "--grid", "40x3", "--nodes", "5", "--node-topology", "core:24", "--objective", "sum", "--json")
    UNEQUAL = ("place", "--grid", "20x3", "--node-topology", "2*core:24", "--node-topology", "core:12", "--objective", "sum", "--json")

    def ask(self, job, *words, code=0, programs=(("gpart", GPART),)):
        """What the command said, and what the programs were asked, a line each."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in programs:
                program = os.path.join(folder, name)
                with open(program, "w", encoding="ascii") as file:
                    file.write(text.format(folder=folder, code=code, python=sys.executable))
                os.chmod(program, 0o755)
            done = run(*job, *words, PATH=folder + ":/usr/bin:/bin", PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
            asked = os.path.join(folder, "asked")
            if not os.path.exists(asked):
                return done, ""
            with open(asked, encoding="ascii") as file:
                return done, file.read()

    def test_division_of_another_takes_part_and_does_no_harm(self):
        alone = run(*self.JOB, "--partitioner", "none")
        for code in (0, 1):
            done, asked = self.ask(self.JOB, "--partitioner", "gpart", code=code)
            self.assertEqual(asked, "-b0.01 5 120 394\n")
            self.assertEqual(json.loads(done.stdout)["levels"], json.loads(alone.stdout)["levels"])

    def test_parts_are_asked_for_as_large_as_the_nodes(self):
        alone = run(*self.UNEQUAL, "--partitioner", "none")
        done, asked = self.ask(self.UNEQUAL, "--partitioner", "gpart", programs=(("gpart", self.GPART), ("gmap", self.GMAP)))
        self.assertEqual(asked, "-b0.01 cmpltw 3 24 24 12 of 60 194\n")
        self.assertEqual(json.loads(done.stdout)["levels"], json.loads(alone.stdout)["levels"])
        self.assertEqual(self.ask(self.UNEQUAL, "--partitioner", "gpart")[1], "-b0.01 3 60 194\n")

    def test_kaffpa_gets_a_metis_graph_that_is_one(self):
        alone = run(*self.JOB, "--partitioner", "none")
        for code in (0, 1):
            done, asked = self.ask(self.JOB, "--partitioner", "kaffpa", code=code, programs=(("kaffpa", self.KAFFPA),))
            self.assertEqual(asked, "--k=5 --imbalance=1 --preconfiguration=eco --seed=1; 120 ranks, 197 edges, weight 197\n")
            self.assertEqual(json.loads(done.stdout)["levels"], json.loads(alone.stdout)["levels"])

    def test_kaffpa_is_told_what_edges_weigh(self):
        with tempfile.NamedTemporaryFile("w", suffix=".graph") as file:
            file.write("ranks 6\n0 1 7\n1 0 5\n1 2\n2 3 4\n3 4\n4 5 9\n0 5\n0 3 2\n")
            file.flush()
            job = ("place", "--graph", file.name, "--nodes", "2", "--node-topology", "core:3", "--json")
            done, asked = self.ask(job, "--partitioner", "kaffpa", programs=(("kaffpa", self.KAFFPA),))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(asked, "--k=2 --imbalance=1 --preconfiguration=eco --seed=1; 6 ranks, 7 edges, weight 30\n")

    def test_nobody_is_asked_who_is_not_wanted(self):
        self.assertEqual(self.ask(self.JOB, "--partitioner", "none")[1], "")
        self.assertNotEqual(self.ask(self.JOB, "--partitioner", "gpart")[1], "")
        for words, code, part in ((("--partitioner", "kaffpa"), 1, "ask kaffpa: it is not on the PATH"),
                                  (("--partitioner", "gprat"), 2, "did you mean gpart?")):
            done, asked = self.ask(self.JOB, *words)
            self.assertEqual((done.returncode, done.stdout, asked), (code, "", ""))
            self.assertIn(part, done.stderr)

    def test_nobody_is_asked_unnamed_about_a_job_that_takes_long(self):
        large = ("place", "--grid", "141x143", "--nodes", "47", "--node-topology", "core:429", "--json")
        self.assertEqual(self.ask(large)[1], "")
        self.assertEqual(self.ask(large, "--partitioner", "gpart")[1], "-b0.01 47 20163 80084\n")
        self.assertNotEqual(self.ask(self.JOB)[1], "")


class Verified(unittest.TestCase):
    """What a rank bound to the first core of a node told, with its memory next to that and, under numactl --membind=1, elsewhere."""
    NEAR = "comity-probe-1 0 n1 0 1 0 0 0 1737600879\n"
    FAR = "comity-probe-1 0 n1 0 1 0 0 1 1737600444\n"
    JOB = ("place", "--grid", "1", "--hosts", "n1:4", "--node-topology", "pack:2 [numa] core:2")

    def verify(self, told):
        """(exit code, verdict)"""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(told)
            file.flush()
            done = run(*self.JOB, "--verify", "--json", "--", "sh", "-c", 'cat "$0"', file.name, "{}")
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_memory_elsewhere_is_not_as_planned(self):
        code, verdict = self.verify(self.FAR)
        self.assertEqual((code, verdict["as_planned"]), (1, False))
        self.assertEqual([one["memory"] for one in verdict["where"]], [1])
        self.assertEqual(verdict["findings"], ["memory of rank 0 is at NUMA node 1, next to its cores is 0; look for numactl or a "
                                               "memory binding of the launcher"])

    def test_memory_next_to_the_cores_is(self):
        code, verdict = self.verify(self.NEAR)
        self.assertEqual((code, verdict["as_planned"], verdict["findings"]), (0, True, []))


class Waits(unittest.TestCase):
    """What the command waits for goes on until the test has seen what it looks for, however slow the machine is."""
    GRID = ("--grid", "48x32", "--nodes", "12", "--node-topology", "core:128", "--partitioner", "gpart")
    BAR = re.compile(r"\rplace: swapping ranks between nodes \[[= ]{20}\] [1-9]\d* of 100, \d+ s\x1b\[K")
    PLAN = "\r\x1b[K1536 ranks as 48x32"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)  # which ends the wait of a test that failed, too
        self.folder = folder.name
        self.held = os.path.join(self.folder, "held")
        self.wait = f"while [ -e {self.held} ]; do sleep 0.05; done"

    def hold(self):
        with open(self.held, "w", encoding="ascii"):
            pass

    def release_once_told(self, terminal, step):
        told = re.compile(rf"\rplace: {step}, [1-9]\d* s\x1b\[K")
        terminal.until(lambda: told.search(terminal.text), step)
        os.unlink(self.held)

    def test_what_takes_longer_than_a_second_is_told_on_a_terminal(self):
        self.hold()
        line = ("sh", "-c", f'{self.wait}; exec "$0" "$@"', "{}")
        with Terminal("place", "--grid", "1", "--node-topology", "core:1", "--verify", "--", *line, PMI_RANK="0") as terminal:
            self.release_once_told(terminal, "running the launch line with a probe")
            terminal.wait()
        shown, after = terminal.text.rsplit("place: running the launch line with a probe, ", 1)
        self.assertIn("\r", shown)
        self.assertRegex(after, r"^\d+ s\x1b\[K\r\x1b\[K\S")

    def test_mapping_shows_a_bar_once_it_has_taken_a_second(self):
        """A machine that has swapped before a line is due is made slow: the command runs there for moments between lines."""
        program = os.path.join(self.folder, "gpart")
        with open(program, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{self.wait}\nexit 1\n")
        os.chmod(program, 0o755)
        for moment_s in (None, 0.01, 0.01, 0.01):  # of which one may last long on a busy machine
            text = self.mapping(moment_s)
            self.assertIn(self.PLAN, text)
            if self.BAR.search(text):
                return
        self.fail(f"no bar in {text[-3000:]!r}")

    def mapping(self, moment_s):
        self.hold()
        with Terminal("place", *self.GRID, PATH=self.folder + ":/usr/bin:/bin") as terminal:
            self.release_once_told(terminal, "asking other partitioners")
            if moment_s:
                terminal.until(lambda: self.shown_after(moment_s, terminal), "bar")
                os.kill(terminal.process, signal.SIGCONT)
            self.assertEqual(terminal.wait(), 0)
        return terminal.text

    def shown_after(self, moment_s, terminal):
        os.kill(terminal.process, signal.SIGCONT)
        time.sleep(moment_s)
        os.kill(terminal.process, signal.SIGSTOP)
        time.sleep(0.11)  # more than between two lines
        return self.BAR.search(terminal.text) or self.PLAN in terminal.text

    def test_nothing_of_it_is_written_elsewhere(self):
        done = run("place", "--grid", "1", "--node-topology", "core:1", "--verify", "--", "sh", "-c",
                   'sleep 1.2; exec "$0" "$@"', "{}", PMI_RANK="0")
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
