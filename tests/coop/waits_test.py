# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits in MPI sleeps, in each kind of call, and so do the threads that the MPI has made for itself."""
import json
import os
import subprocess
import tempfile
import unittest

from cooperative import TOLD, expect_cooperative

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
RANKS = int(LAUNCH[LAUNCH.index("-n") + 1])
SOME = os.environ.get("COMITY_KINDS", "").split()  # of jobs of many ranks, where all of them take long
RUNS = 8  # on a machine that is crowded; behind the first of some seconds, of those kinds that were disturbed
LONG_US = 50000  # rank 0 sleeps 100 ms each time; others may come late
SLEEPING_SHARE = 0.04  # of a processor; the goal is 0.02, of a wait that nobody disturbs
# But where it stands on UCX and one thread at a time calls it.
SPIN_IN_MPICH = ("Buffer_detach", "Comm_create_group", "File_close", "Intercomm_create", "Win_complete", "Win_flush", "Win_lock",
                 "Win_start", "Win_unlock")
# These sleep until all have come, and spin then until the others have a processor: not for long.
MEET_IN_MPICH = ("Allgather", "Allreduce", "Alltoall", "Barrier", "Comm_dup", "Comm_split", "File_read_at_all", "File_write_at_all",
                 "File_open", "Reduce_scatter_block", "Win_create", "Win_fence", "Win_free")
MEETING_SHARE = 0.2
HELPERS_SHARE = 0.01


def needs():
    return subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout


def stands_on_mpich():
    return "libmpich" in needs()


def stands_on_ucx():
    """Or needs none: Open MPI always calls back."""
    return not stands_on_mpich() or "libucp" in needs()


IN_OPEN_MPI_ALONE = ("Comm_accept", "Comm_connect")  # Debian's MPICH has no ports
KINDS = len(SOME) or 57 + (0 if stands_on_mpich() else len(IN_OPEN_MPI_ALONE))
# In these the second of two ranks of Open MPI need not wait for the first: it may work on that one's memory by itself.
NO_WAIT_IN_OPEN_MPI = ("File_read_at_all", "File_write_at_all", "Win_complete", "Win_flush", "Win_unlock")


def has_many_threads():
    return "MPIR_CVAR_DEFAULT_THREAD_LEVEL" in os.environ


def is_unasked():
    """The library is one that MPICH does not call back, as where it does not stand on UCX (unasked.cpp)."""
    return "COMITY_UNASKED" in os.environ


def spins_inside():
    return not stands_on_ucx() or has_many_threads() or is_unasked()


def may_not_wait(kind):
    return not stands_on_mpich() and not SOME and kind in NO_WAIT_IN_OPEN_MPI


def most_of(kind):
    return MEETING_SHARE if kind in MEET_IN_MPICH and spins_inside() else SLEEPING_SHARE


def most_of_helpers(_while_rank_0):
    return HELPERS_SHARE


def waits_of(*options, environment=(), kinds=SOME):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([*TOLD, COMITY, "run", *options, "--", *LAUNCH, PROGRAM, os.path.join(folder, "written"), *kinds],
                             capture_output=True, text=True, timeout=50, check=False, env={**os.environ, **dict(environment)})
    rows = [line.split() for line in run.stdout.splitlines()]
    waits = {kind: tuple(map(float, figures)) for kind, *figures in rows}
    return run, waits, {kind: waits.pop(kind, None) for kind in ("Helpers", "Computing")}


def keep_least(least, shares):
    for kind, share in shares.items():
        least[kind] = min(share, least.get(kind, share))


def too_much(shares, most):
    return {kind: share for kind, share in shares.items() if share >= most(kind)}


class Waits(unittest.TestCase):
    def test_who_waits_gives_its_processor_away(self):
        least = {}  # of a processor, by kind, in all runs
        helping = {}  # the same of the MPI's own threads, by what rank 0 does
        disturbed = SOME
        for _ in range(RUNS):
            shares, helpers = self.long_waits(disturbed)
            keep_least(least, shares)
            keep_least(helping, helpers)
            disturbed = [*self.missing(least), *too_much(least, most_of)]
            if too_much(helping, most_of_helpers):
                disturbed = SOME
            elif not disturbed:
                break
        self.assertEqual(self.missing(least), [], f"rank 1 came in time for these alone: {sorted(least)}")
        print("most that the quietest wait of a kind used:", max((share, kind) for kind, share in least.items()))
        self.assertEqual(too_much(least, most_of), {})
        self.assertEqual(too_much(helping, most_of_helpers), {}, "the MPI's own threads are in the way of who computes")

    def missing(self, least):
        return [kind for kind in self.kinds if kind not in least and not may_not_wait(kind)]

    def long_waits(self, kinds):
        """What rank 1 used of a processor, by the kinds in which it was no later than rank 0's sleep was half over, and what the MPI's
        own threads did, in one run."""
        run, waits, helpers = waits_of("--coop", "on", kinds=kinds)
        self.assertEqual(run.returncode, 0, run.stderr)
        expect_cooperative(self, run.stderr, RANKS)
        self.assertEqual(len(waits), len(kinds) or KINDS, run.stdout)
        if kinds == SOME:
            self.kinds = sorted(waits)
        long_ones = {kind: figures for kind, figures in waits.items() if figures[0] > LONG_US}
        shares = {kind: cpu_us / wall_us for kind, (wall_us, cpu_us, _, _) in long_ones.items()}
        for kind, (wall_us, _, given, waited_us) in long_ones.items():
            if spins_inside() and kind in SPIN_IN_MPICH:
                shares[kind] = 0.0  # which is all that there is to see
                continue
            with self.subTest(kind):
                self.assertLess(shares[kind], 0.5, "a waiting MPI would use all of it, or all that it gets")
                if wall_us - waited_us > LONG_US:  # else it had no processor to give away
                    self.assertGreaterEqual(given, 2)
        return shares, {while_rank_0: helpers_us / wall_us for while_rank_0, (wall_us, helpers_us) in helpers.items()}


class WithoutASegment(unittest.TestCase):
    def test_it_costs_nothing_but_the_sleep(self):
        run, waits, _ = waits_of("--coop", "on", environment={"COMITY_NODE_HANDOVER": "none"}.items())
        self.assertEqual(run.returncode, 0, run.stderr)
        expect_cooperative(self, run.stderr, RANKS)
        self.assertEqual(len(waits), KINDS, run.stdout)


class Listed(unittest.TestCase):
    def test_calls_that_spin_are_those_of_this_mpi(self):
        told = subprocess.run([COMITY, "run", "--coop", "on", "--dry-run", "--json", "--", *LAUNCH, PROGRAM], capture_output=True,
                              text=True, timeout=50, check=True).stdout
        coop = json.loads(told)["coop"]
        for level, spins in ("passes_through", not stands_on_ucx()), ("passes_through_with_many_threads", stands_on_mpich()):
            listed = coop[level]
            self.assertNotIn("MPI_Gather", listed)
            for kind in (*SPIN_IN_MPICH, *IN_OPEN_MPI_ALONE, "File_write_at_all"):
                self.assertEqual(f"MPI_{kind}" in listed, spins, f"{kind} in {level}")


class Counted(unittest.TestCase):
    """By metrics, of each kind that may pass through."""

    def test_calls_that_spin_are_counted_as_such(self):
        kinds = (*SPIN_IN_MPICH, *(() if stands_on_mpich() else IN_OPEN_MPI_ALONE))
        with tempfile.TemporaryDirectory() as folder:
            figures = os.path.join(folder, "figures.json")
            run, _, _ = waits_of("--coop", "on", "--metrics", "--metrics-json", figures, kinds=kinds)
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(figures, encoding="utf-8") as file:
                functions = json.load(file)["metrics"]["functions"]
        counted = {each["function"]: (each["calls"], each["spinning"]) for each in functions}
        for name in (f"MPI_{kind}" for kind in kinds):
            calls, spinning = counted[name]
            self.assertGreater(calls, 0)
            self.assertEqual(spinning, calls if spins_inside() else 0, name)
        self.assertEqual(counted["MPI_Barrier"][1], 0)


def load_tests(loader, _tests, _pattern):
    groups = os.environ.get("COMITY_GROUPS", "Waits").split()
    return unittest.TestSuite(loader.loadTestsFromTestCase(globals()[group]) for group in groups)


if __name__ == "__main__":
    unittest.main()
