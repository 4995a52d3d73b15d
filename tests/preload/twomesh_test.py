# SPDX-License-Identifier: BSD-3-Clause
"""What the records of a coupled program answer without a look at its code: which phase used how many processors, who waited
where, and how one mode differs from another. Decided by processor time and by who waited longest, not by how long."""
import json
import os
import re
import resource
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()

# Both libraries have some tenths of a second to compute, so that what is told is more than what clocks are read for.
CONFIG = """
[run]
steps = 2
[l0]
cells = [192, 192]
block = [24, 24]
substeps = 24
[l1]
cells = [288, 288]
strip_rows = 3
conductivity = 0.2
hash_iterates = false
[layout]
resource = "machine"
"""
PHASES = {"(run)", "l0", "l1", "remap"}


class Phases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if len(os.sched_getaffinity(0)) < 2:
            raise unittest.SkipTest("NOT TESTED: one processor; two ranks need two to take turns on")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.config = os.path.join(cls.folder.name, "run.toml")
        with open(cls.config, "w", encoding="utf-8") as file:
            file.write(CONFIG)
        cls.under = cls.record_of("under", 1)
        cls.comity = cls.record_of("comity", 2)

    took_s = {}  # by mode: the job's processor time, as the kernel tells its parent

    @staticmethod
    def processor_time_of_children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    @classmethod
    def record_of(cls, mode, ranks):
        record = os.path.join(cls.folder.name, mode)
        words = ["run", "--record", record, "--", *LAUNCH, "-n", str(ranks), PROGRAM, "--mode", mode, "--threads", "2",
                 "--config", cls.config]
        before_s = cls.processor_time_of_children()
        run = subprocess.run([COMITY, *words], capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "OMP_WAIT_POLICY": "passive"})  # else threads spin into the next phase
        cls.took_s[mode] = cls.processor_time_of_children() - before_s
        if run.returncode != 0:
            raise AssertionError(f"{mode}: {run.stderr}")
        return record

    def report(self, *words):
        run = subprocess.run([COMITY, "report", *words], capture_output=True, text=True, timeout=50, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def regions(self, record):
        told = json.loads(self.report("--json", record))["metrics"]["regions"]
        return {region["region"]: region for region in told}

    @staticmethod
    def processors_while_it_computed(region):
        """Processor time of all threads over that of main threads: a busy machine makes neither more nor less."""
        return region["useful_s"] / region["computation_s"]

    @staticmethod
    def busiest_main_thread_s(region):
        """Processor time of the rank that computed longest, of ranks with a thread each: sums and balance are of processor time."""
        return region["computation_s"] / region["ranks"] / (region["efficiency"]["load_balance"] or 1)

    @staticmethod
    def asleep_s(region, rank):
        """Of two ranks."""
        return region["asleep"]["most_s" if region["asleep"]["most_rank"] == rank else "least_s"]

    def test_which_phase_used_how_many_processors(self):
        under, comity = self.regions(self.under), self.regions(self.comity)
        self.assertEqual(set(under), PHASES)
        self.assertEqual(set(comity), PHASES)
        self.assertLess(self.processors_while_it_computed(under["l0"]), 1.5, "one thread")
        self.assertEqual((under["l0"]["ranks"], comity["l0"]["ranks"]), (1, 2))
        self.assertGreater(comity["l0"]["efficiency"]["load_balance"], 0.75, "each rank has computed on a processor of its own")
        for name, regions in (("under", under), ("comity", comity)):
            self.assertGreater(self.processors_while_it_computed(regions["l1"]), 1.5, f"{name}: two threads of one rank")
            told_s = sum(region["useful_s"] for region in regions.values())
            self.assertLess(told_s, 1.02 * self.took_s[name], f"{name}: no more than the kernel has counted")
        page = self.report(self.comity)
        for phase in PHASES:
            row = re.search(rf"^  {re.escape(phase)} +\d+ +[\d.]+ +([\d.]+) ", page, re.MULTILINE)
            self.assertAlmostEqual(float(row.group(1)), comity[phase]["processors"], delta=0.011, msg=page)

    def test_who_waited_where(self):
        l1 = self.regions(self.comity)["l1"]
        self.assertEqual(l1["ranks"], 2)
        self.assertGreater(self.asleep_s(l1, 1), l1["computation_s"] / 2, "it rests while rank 0 has both processors")
        page = self.report(self.comity)
        waits = page[page.index("who waited"):]
        self.assertRegex(waits, r"\n  l1 +[\d.]+ \(rank \d\) +[\d.]+ +MPI_\w+ +[\d.]+ \(rank \d\) +[\d.]+  [012] of 2 ranks\n")
        self.assertRegex(waits, r"\n  remap +[\d.]+ \(rank \d\) +[\d.]+  MPI_\w+ ")
        functions = json.loads(self.report("--json", self.comity))["metrics"]["functions"]
        waiting = {one["function"] for one in functions
                   if one["region"] == "remap" and re.search("Wait|Recv$|Barrier|All|reduce|Bcast|Send$", one["function"])}
        self.assertEqual(waiting, {"MPI_Waitall"}, "of what may wait in the remap")

    def test_how_one_mode_differs_from_another(self):
        told = json.loads(self.report("--json", self.comity, "--against", self.under))
        self.assertIn("--mode comity", told["run"]["facts"]["arguments"])
        self.assertIn("--mode under", told["against"]["run"]["facts"]["arguments"])
        differs = {region["region"]: region for region in told["comparison"]["regions"]}
        for side, record in (("here", self.comity), ("there", self.under)):
            for phase, region in self.regions(record).items():
                self.assertEqual(differs[phase]["wall_s"][side], region["wall_s"])
                self.assertEqual(differs[phase]["processors"][side], region["processors"])
        self.assertGreater(differs["l1"]["asleep"]["here"], 0.25, "of two ranks one rests")
        self.assert_l0_is_shared()
        text = self.report(self.comity, "--against", self.under)
        self.assertIn(told["comparison"]["verdict"], text)
        self.assert_verdict(told)
        self.assertIn("here\nrun: ", text)
        self.assertRegex(text, r"\n  l0 +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +\d+ % +\d+ % +\d+ % +\d+ %\n")

    def assert_l0_is_shared(self):
        """By processor time, for the clock also counts what others did on a busy machine."""
        under, comity = self.regions(self.under), self.regions(self.comity)
        saved_s = under["l0"]["computation_s"] - self.busiest_main_thread_s(comity["l0"])
        self.assertGreater(saved_s, under["l0"]["computation_s"] / 5, "two ranks share what one did")

    def assert_verdict(self, told):
        """Which run was shorter, how much, and the region that explains it: the largest change in that direction."""
        verdict = told["comparison"]["verdict"]
        here, there = told["metrics"]["wall_s"], told["against"]["metrics"]["wall_s"]
        if abs(here - there) <= 0.01 * there:
            self.assertIn("This run took as long", verdict)
            return
        self.assertIn(f"{here:.3f} s, the other one {there:.3f} s: {here / there:.2f} of its time", verdict)
        faster = 1 if here < there else -1
        regions = {side: {region["region"]: region["wall_s"] for region in metrics["regions"]}
                   for side, metrics in (("here", told["metrics"]), ("there", told["against"]["metrics"]))}
        saved = {name: faster * (regions["there"][name] - regions["here"][name]) for name in PHASES}
        self.assertIn(f"Most of the difference is in {max(saved, key=saved.get)}: ", verdict)


if __name__ == "__main__":
    unittest.main()
