# SPDX-License-Identifier: BSD-3-Clause
"""The installed command launches the installed program of a benchmark, and that one finds its libraries."""
import json
import os
import unittest

from installed import MPIS, TREE, must


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "NOT TESTED: one core only, nobody could wait")
class Bench(unittest.TestCase):
    def test_the_command_launches_the_program_in_libexec(self):
        mpi, = MPIS
        said = must(TREE / "bin/comity", "bench", "quiesce", "--mpi", mpi, "--kernel-seconds", "0.01", "--time-limit",
                    "0", "--json", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.assertEqual({row["mpi"] for row in json.loads(said[said.index("{\n"):])["rows"]}, {mpi})


if __name__ == "__main__":
    unittest.main()
