# SPDX-License-Identifier: BSD-3-Clause
"""full-under on a machine of two NUMA nodes: who takes L0's last gas steps, and what the result says of it.

narrow_test.py PROGRAM LAUNCHER...     the launcher's words end before the program's"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

PROGRAM, *LAUNCHER = sys.argv[1:]
STEPS = 1
CONFIG = f"""
[run]
steps = {STEPS}
[l0]
cells = [64, 64]
substeps = 3
[l1]
cells = [48, 48]
tolerance = 1e-6
[layout]
narrow_per = 1
narrow_substeps = 2
"""


def run(mode, folder, launcher=None):
    """The result, the timeline and what Comity tells; of four ranks, two on each NUMA node, where no other launcher is named."""
    config, result, timeline = (Path(folder) / name for name in ("run.toml", "result.json", "timeline.json"))
    config.write_text(CONFIG)
    words = [*(LAUNCHER if launcher is None else launcher), PROGRAM, "--config", config, "--mode", mode, "--threads", "1", "--json", result,
             "--timeline", timeline]
    ended = subprocess.run(list(map(str, words)), env={**os.environ, "HWLOC_SYNTHETIC": "numa:2 core:2 pu:1",
                                                          "COMITY_LOG": "debug"},
                           capture_output=True, text=True, check=False, timeout=50)
    if ended.returncode != 0:
        raise AssertionError(ended.stdout + ended.stderr)
    return json.loads(result.read_text()), json.loads(timeline.read_text()), ended.stdout + ended.stderr


def pushed_by_rank(told):
    """Where each rank bound itself, push by push, as Comity's log tells it."""
    pushed = {}
    for cpus, rank in re.findall(r"\[context\] pushed CPUs (\S+) \(rank (\d+),", told):
        pushed.setdefault(int(rank), []).append(cpus)
    return pushed


class FullUnder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.full, cls.timeline, told = run("full-under", folder)
        cls.pushed = pushed_by_rank(told)
        with tempfile.TemporaryDirectory() as folder:
            cls.comity, _, _ = run("comity", folder)

    def test_one_rank_of_each_numa_node_takes_the_last_gas_steps(self):
        """Each has an L0 span more a step than a rank that rested: its gas steps among the few."""
        spans = Counter(span["rank"] for span in self.timeline if span["phase"] == "l0")
        self.assertEqual(spans, {0: 3 * STEPS, 1: 2 * STEPS, 2: 3 * STEPS, 3: 2 * STEPS})

    def test_each_of_the_few_is_alone_on_one_core(self):
        """Of its node's two, though nobody else is selected there; both it takes for L1, the last push of a step."""
        for rank, core, node in ((0, "0", "0-1"), (2, "2", "2-3")):
            self.assertEqual(self.pushed[rank][-2 * STEPS:], [core, node] * STEPS, f"rank {rank}")
            self.assertEqual(self.pushed[rank].count(node), STEPS, f"rank {rank}")
        self.assertEqual([set(self.pushed[rank]) for rank in (1, 3)], [{"1"}, {"3"}])

    def test_the_others_rest_meanwhile(self):
        """A rank that rested has one quiesce span in L0 and one in L1; a rank that ran in L0 has two there."""
        spans = Counter(span["rank"] for span in self.timeline if span["phase"] == "quiesce")
        self.assertEqual((spans[1], spans[3]), (2 * STEPS, 2 * STEPS))
        self.assertGreater(min(spans[0], spans[2]), 2 * STEPS)

    def test_the_result_says_what_the_few_took(self):
        """A part of each phase, or nothing: where a rank that rests is late, the few may be done by then."""
        narrow = self.full["narrow"]
        self.assertEqual(narrow["ranks"], 2)
        self.assertEqual(set(narrow), {"ranks", "l0_s", "remap_s", "quiesce_s"})
        for key in ("l0_s", "remap_s", "quiesce_s"):
            self.assertGreaterEqual(narrow[key], 0, key)
            self.assertLessEqual(narrow[key], self.full["phases"][key], key)

    def test_phases_still_add_up_to_the_total(self):
        self.assertAlmostEqual(sum(self.full["phases"].values()), self.full["total_s"])

    def test_the_bits_are_those_of_comity_which_has_no_such_part(self):
        self.assertNotIn("narrow", self.comity)
        for key in ("checksum", "simulated_time", "cg_iterations"):
            self.assertEqual(self.full[key], self.comity[key], key)
        self.assertTrue(self.full["checks_passed"])


class OneRank(unittest.TestCase):
    """Nobody waits for it, so its phases are its spans."""

    def test_phases_take_the_time_of_the_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            result, timeline, _ = run("under", folder, launcher=[])
        whole = max(span["end_s"] for span in timeline) - min(span["start_s"] for span in timeline)
        self.assertAlmostEqual(result["total_s"], whole, delta=0.01 * whole)
        for phase in ("l0", "l1", "remap"):
            spans = sum(span["end_s"] - span["start_s"] for span in timeline if span["phase"] == phase)
            self.assertAlmostEqual(result["phases"][phase + "_s"], spans, delta=0.02 * whole, msg=phase)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
