# SPDX-License-Identifier: BSD-3-Clause
"""`comity memory watch` beside a program that grows by known amounts (tests/memory/programs/grower.c). Started by ctest with
COMMAND_UNDER_TEST, GROWER and STATIC_GROWER set."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import COMMAND, KEPT, run  # noqa: E402  pylint: disable=wrong-import-position
from terminal import Terminal  # noqa: E402  pylint: disable=wrong-import-position

MIB = 1 << 20


class Grower:
    """The program, a step a line."""

    def __init__(self, test, program="GROWER"):
        self.process = subprocess.Popen([os.environ[program]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid

    def grow(self, step, mib):
        print(step, mib, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        assert answer == "done\n", answer

    def end(self):
        if self.process.stdin.closed:
            return
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def watch(*words, **variables):
    return run("memory", "watch", *words, **variables)


def samples(*words, **variables):
    done = watch(*words, "--json", **variables)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Words(unittest.TestCase):
    def test_what_makes_no_sense(self):
        for words, part in (((), "watch PID"), (("wach", "1"), "did you mean watch"), (("watch",), "needs processes"),
                            (("watch", "x"), "process number"), (("watch", "1", "--interval", "0"), "--interval"),
                            (("watch", "1", "--interval", "nan"), "--interval"), (("watch", "1", "--samples", "0"), "--samples"),
                            (("watch", "1", "--total"), "--totals"), (("watch", "--job", "x"), "process number")):
            with self.subTest(words=words):
                done = run("memory", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_a_process_that_is_not_there(self):
        done = watch(2**31 - 1)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("there is no such process", done.stderr)

    def test_rules_that_are_wrong_are_named(self):
        with tempfile.NamedTemporaryFile("w") as rules:
            print("solver", file=rules, flush=True)
            done = watch(os.getpid(), COMITY_MEMORY_RULES=rules.name)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{rules.name}: line 1", done.stderr)


class Figures(unittest.TestCase):
    def test_each_component_has_what_is_known_and_the_sum_is_the_kernels(self):
        grower = Grower(self)
        for step, mib in (("private", 32), ("memfd", 8), ("named", 4), ("heap", 4), ("bss", 4)):
            grower.grow(step, mib)
        told, = samples(grower.pid, "--samples", "1")
        process, = told["processes"]
        self.assertEqual((process["pid"], process["ended"]), (grower.pid, False))
        maps = process["mappings"]
        found = {name: use["rss_bytes"] for name, use in maps["components"].items()}
        for name, mib in (("anonymous", 32), ("shared", 8), ("mpi", 4), ("heap", 4), ("application", 4)):
            self.assertAlmostEqual(found[name], mib * MIB, delta=max(mib * MIB / 100, 128 << 10), msg=name)
        self.assertAlmostEqual(sum(found.values()), maps["rss_bytes"], delta=maps["rss_bytes"] / 100)
        named = {segment["name"].split(".")[0]: segment for segment in maps["segments"]}
        self.assertEqual(named["/dev/shm/vader_segment"]["maker"], "mpi")
        self.assertEqual(named["/memfd:grown (deleted)"]["rss_bytes"], 8 * MIB)

    def test_several_processes_add_up_by_share(self):
        growers = [Grower(self), Grower(self)]
        for grower in growers:
            grower.grow("private", 8)
        told, = samples(*(grower.pid for grower in growers), growers[0].pid, "--samples", "1")
        self.assertEqual([process["pid"] for process in told["processes"]], [grower.pid for grower in growers])
        shares = [process["mappings"]["pss_bytes"] for process in told["processes"]]
        self.assertEqual(told["together"]["pss_bytes"], sum(shares))
        self.assertAlmostEqual(told["together"]["components"]["anonymous"]["pss_bytes"], 16 * MIB, delta=MIB / 4)

    def test_a_static_program_is_told_with_what_is_not_known(self):
        grower = Grower(self, "STATIC_GROWER")
        grower.grow("private", 8)
        done = watch(grower.pid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("is linked statically", done.stdout)
        self.assertRegex(done.stdout, r"\n  anonymous +8(\.\d)? MiB")

    def test_a_component_of_ones_own(self):
        grower = Grower(self)
        with tempfile.NamedTemporaryFile("w") as rules:
            print("mine = test_memory_grower", file=rules, flush=True)
            told, = samples(grower.pid, "--samples", "1", COMITY_MEMORY_RULES=rules.name)
        self.assertIn("mine", told["processes"][0]["mappings"]["components"])

    def test_totals_alone_read_no_mappings(self):
        told, = samples(os.getpid(), "--totals", "--samples", "1")
        self.assertIsNone(told["processes"][0]["mappings"])
        self.assertGreater(told["processes"][0]["peak_rss_bytes"], 0)


class Samples(unittest.TestCase):
    def test_text_elsewhere_than_on_a_terminal_is_printed_once(self):
        done = watch(os.getpid())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("at its peak"), 1)
        self.assertNotIn("\033", done.stdout)

    def test_so_many_samples_as_asked_for(self):
        told = samples(os.getpid(), "--samples", "3", "--interval", "0.1")
        times = [sample["time_s"] for sample in told]
        self.assertEqual(len(times), 3)
        self.assertEqual(times, sorted(times))

    def test_the_end_of_the_process_ends_the_watch_with_its_last_figures_and_its_peak(self):
        grower = Grower(self)
        grower.grow("returned", 64)
        with subprocess.Popen([COMMAND, "memory", "watch", str(grower.pid), "--json", "--interval", "0.1"], env=KEPT,
                              stdout=subprocess.PIPE, text=True) as watching:
            self.assertFalse(json.loads(watching.stdout.readline())["processes"][0]["ended"])
            grower.end()
            last = [json.loads(line) for line in watching.stdout][-1]["processes"][0]
        self.assertEqual(watching.returncode, 0)
        self.assertTrue(last["ended"])
        self.assertGreater(last["peak_rss_bytes"], 64 * MIB)
        self.assertLess(last["rss_bytes"], 16 * MIB)
        self.assertGreater(last["mappings"]["components"]["libc"]["rss_bytes"], 0)

    def test_of_several_the_last_ones_end_ends_the_watch(self):
        growers = [Grower(self), Grower(self)]
        with subprocess.Popen([COMMAND, "memory", "watch", *(str(grower.pid) for grower in growers), "--json",
                               "--interval", "0.1"], env=KEPT, stdout=subprocess.PIPE, text=True) as watching:
            self.assertTrue(watching.stdout.readline())
            growers[0].end()
            while True:
                ended = [process["ended"] for process in json.loads(watching.stdout.readline())["processes"]]
                self.assertFalse(ended[1])
                if ended[0]:
                    break
            growers[1].end()
            last = [json.loads(line) for line in watching.stdout][-1]
        self.assertEqual([process["ended"] for process in last["processes"]], [True, True])


class OnATerminal(unittest.TestCase):
    def test_it_is_shown_until_a_key_and_the_terminal_is_as_before(self):
        with Terminal("memory", "watch", str(os.getpid())) as terminal:
            terminal.read_until("q ends")
            terminal.press(b"q")
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.modes(), terminal.modes_before)

    def test_the_end_of_the_process_leaves_its_last_figures(self):
        grower = Grower(self)
        with Terminal("memory", "watch", str(grower.pid), "--interval", "0.1") as terminal:
            terminal.read_until("q ends")
            grower.end()
            self.assertEqual(terminal.wait(), 0)
            behind = terminal.text.split("\033[?1049l")[-1]
        self.assertIn("has ended", behind)
        self.assertIn("at its peak", behind)


if __name__ == "__main__":
    unittest.main()
