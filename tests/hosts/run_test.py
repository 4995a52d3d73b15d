# SPDX-License-Identifier: BSD-3-Clause
"""`comity run` over hosts: the library and the settings reach ranks whose launcher's environment does not, and the figures tell the
nodes apart.
    run_test.py COMMAND RANK_PROGRAM SHARES_PROGRAM LAUNCHER WORD.."""
import json
import os
import re
import sys
import tempfile
import unittest

import hosts

COMMAND, PROGRAM, SHARES, *LAUNCHER = sys.argv[1:]
THREADS = "  threads: asked for MPI_THREAD_{0}, provided MPI_THREAD_{0}; only the main thread calls MPI: {1}."
SINGLE = THREADS.format("SINGLE", "MPI_THREAD_SINGLE is right if the program has no other threads, else MPI_THREAD_FUNNELED is needed")
MULTIPLE = THREADS.format("MULTIPLE", "MPI_THREAD_FUNNELED would do")
TWO_POINTS = 0.02


def setUpModule():
    hosts.require()


class Run(unittest.TestCase):
    def job(self, *words, last_line, options=()):
        """Its output, of which that is the last line of the page."""
        line = [COMMAND, "run", "--metrics", *options, "--", *LAUNCHER, *words]
        status, output = hosts.run(line, launcher=LAUNCHER, last_line=last_line)
        hosts.assert_ended(self, LAUNCHER, status, output)
        self.assertIn(last_line, output.splitlines())
        return output

    def test_a_rank_on_each_of_two_hosts_has_the_library_and_the_settings(self):
        output = self.job(PROGRAM, "show", "COMITY_METRICS", last_line=SINGLE)
        for rank in 0, 1:
            self.assertIn(f"rank {rank} COMITY_METRICS=on", output)
            self.assertIn(f"rank {rank} loaded=yes", output)

    def test_figures_tell_two_hosts_apart(self):
        """Rank 1, alone on its host, computes half of what rank 0 does, each on a processor of its own: all that is uneven is between
        nodes."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("NOT TESTED: needs two processors, this process may use one")
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:  # which hosts share
            figures = os.path.join(folder, "figures.json")
            output = self.job(SHARES, folder, "imbalance:400:200", options=("--metrics-json", figures),
                              last_line=MULTIPLE)
            with open(figures, encoding="utf-8") as file:
                told = json.load(file)["metrics"]
        self.assertEqual([(rank["rank"], rank["node"]) for rank in told["ranks"]], [(0, 0), (1, 1)])
        self.assertEqual([(node["node"], node["host"], node["ranks"], node["first_rank"], node["processors"])
                          for node in told["per_node"]], [(0, "host1", 1, 0, 1), (1, "host2", 1, 1, 1)])
        for rank, node, work_s in zip(told["ranks"], told["per_node"], (0.4, 0.2)):
            self.assertGreaterEqual(rank["useful_s"], 0.99 * work_s)
            self.assertAlmostEqual(node["useful_s"], rank["useful_s"], places=6)
            self.assertAlmostEqual(node["efficiency"]["parallel"], rank["efficiency"]["parallel"], delta=TWO_POINTS)
        self.assert_uneven_between_nodes(told["efficiency"], [rank["useful_s"] for rank in told["ranks"]])
        rows = re.findall(r"^  (\d) +(host\d) +1 +(\d) +1 +([\d.]+) ", output, re.MULTILINE)
        self.assertEqual({(node, host, first) for node, host, first, _ in rows}, {("0", "host1", "0"), ("1", "host2", "1")}, output)
        self.assertRegex(output, rf"between nodes +{told['efficiency']['load_balance_between_nodes']:.2f}\n")

    def assert_uneven_between_nodes(self, efficiency, useful_s):
        true = sum(useful_s) / (2 * max(useful_s))
        self.assertAlmostEqual(efficiency["load_balance_between_nodes"], true, delta=TWO_POINTS)
        self.assertAlmostEqual(efficiency["load_balance_in_nodes"], 1, delta=TWO_POINTS)
        self.assertAlmostEqual(efficiency["load_balance"], true, delta=TWO_POINTS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
