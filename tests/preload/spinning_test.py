# SPDX-License-Identifier: BSD-3-Clause
"""Which calls count as spinning, where waits are cooperative and where they are not."""
import json
import os
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()


def calls_back():
    """An MPICH does from its own waits where it stands on UCX."""
    needs = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    return "libmpich" not in needs or "libucp" in needs


class Spinning(unittest.TestCase):
    def told(self, coop):
        """The page at the end, and the report's figures: calls and calls that count as spinning, by function."""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            run = subprocess.run([COMITY, "run", "--coop", coop, "--metrics", "--record", record, "--", *LAUNCH, "-n", "2",
                                  PROGRAM], capture_output=True, text=True, timeout=50, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = subprocess.run([COMITY, "report", "--json", record], capture_output=True, text=True, timeout=50, check=True)
        metrics = json.loads(report.stdout)["metrics"]
        return run.stderr, metrics["waits"], {f["function"]: (f["calls"], f["spinning"]) for f in metrics["functions"]}

    def test_what_cannot_sleep_counts(self):
        page, waits, functions = self.told("on")
        self.assertEqual(waits, "asleep")
        self.assertEqual(functions["MPI_Barrier"], (6, 0))
        self.assertEqual(functions["MPI_Put"], (10, 0))
        calls, spinning = functions["MPI_Win_lock"]
        self.assertEqual(calls, 10)
        self.assertEqual(spinning, 0 if calls_back() else 10)
        if spinning == 0:
            self.assertIn("waits: ranks sleep where they wait in MPI.", page)
        else:
            self.assertRegex(page, r"waits: ranks sleep where they wait in MPI, but for 20 calls of [0-9.]+ s in which this MPI "
                                   r"can only spin, most in MPI_Win_(un)?lock\.")

    def test_all_waits_spin_without(self):
        page, waits, functions = self.told("off")
        self.assertEqual(waits, "spinning")
        self.assertEqual(functions["MPI_Barrier"], (6, 6))
        self.assertEqual(functions["MPI_Win_lock"], (10, 10))
        self.assertEqual(functions["MPI_Put"], (10, 0))
        self.assertNotIn("waits: ranks sleep", page)


if __name__ == "__main__":
    unittest.main()
