# SPDX-License-Identifier: BSD-3-Clause
"""`comity bench quo` over two hosts: what a job on several nodes does together is measured, and its rows say so.
    bench_test.py COMMAND MPI"""
import json
import sys
import unittest

import hosts

COMMAND, MPI = sys.argv[1:]


def setUpModule():
    hosts.require()


class Bench(unittest.TestCase):
    def test_quo_measures_creates_across_hosts(self):
        words = ["bench", "quo", "--json", "--mpi", MPI, "--ranks", "2", "--time-limit", "0"]
        status, output = hosts.run([COMMAND, *words])
        self.assertEqual(status, 0, output)
        rows = json.loads(output[output.index("{\n"):])["rows"]
        rows = [row for row in rows if row["case"] != "state_node"]  # that one is no job of the hosts
        self.assertEqual([(row["case"], row["mpi"], row["ranks"], row["extra"]["nodes"]) for row in rows],
                         [(case, MPI, 2, 2) for case in ("create_first", "create_free_beside", "create_free", "create_free_no_mt", "create",
                                                         "free")])
        for row in rows:
            self.assertGreater(min(row["value"], row["reference_value"]), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
