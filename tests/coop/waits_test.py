# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits in MPI sleeps, in each kind of call, and so do the threads that the MPI has made for itself."""
import os
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
KINDS = 29
RUNS = 5  # of some seconds each, on a machine that is crowded
SPIN_IN_MPICH = ("Alltoallv", "Barrier_between", "Buffer_detach", "Comm_create_group", "File_write_at_all", "Gather", "Scan")  # but where it stands on UCX


def spins_inside():
    needs = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    return "libmpich" in needs and "libucp" not in needs


def waits_of(*options, environment=()):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([COMITY, "run", *options, "--", *LAUNCH, PROGRAM, os.path.join(folder, "written")],
                             capture_output=True, text=True, timeout=50, check=False, env={**os.environ, **dict(environment)})
    rows = [line.split() for line in run.stdout.splitlines()]
    waits = {kind: tuple(map(float, figures)) for kind, *figures in rows}
    return run, waits, waits.pop("Helpers", None)


class Waits(unittest.TestCase):
    def test_who_waits_gives_its_processor_away(self):
        seen = set()
        for _ in range(RUNS):
            seen |= self.long_waits()
            if len(seen) > KINDS / 2:
                break
        self.assertGreater(len(seen), KINDS / 2, "rank 0 sleeps 120 ms each time; others may come late")

    def long_waits(self):
        """The kinds in which rank 1 was no later than rank 0's sleep was half over, in one run."""
        run, waits, helpers = waits_of("--coop", "on")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("[coop]", run.stderr)
        self.assertEqual(len(waits), KINDS, run.stdout)
        wall_us, helpers_us = helpers
        self.assertLess(helpers_us, wall_us / 100, "the MPI's own threads would be in the way of who computes")
        long_ones = {kind: figures for kind, figures in waits.items() if figures[0] > 60000}
        for kind, (wall_us, cpu_us, given, waited_us) in long_ones.items():
            if spins_inside() and kind in SPIN_IN_MPICH:
                continue
            with self.subTest(kind):
                self.assertLess(cpu_us, wall_us / 2, "a waiting MPI would use all of it, or all that it gets")
                if wall_us - waited_us > 60000:  # else it had no processor to give away
                    self.assertGreaterEqual(given, 2)
        return set(long_ones)

    def test_a_segment_that_cannot_be_had_costs_nothing_but_the_sleep(self):
        run, waits, _ = waits_of("--coop", "on", environment={"COMITY_NODE_HANDOVER": "none"}.items())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(waits), KINDS, run.stdout)


if __name__ == "__main__":
    unittest.main()
