# SPDX-License-Identifier: BSD-3-Clause
"""Ranks with teams that crowd the node compute on a share of its cores each, and on what the other one leaves while it waits."""
import os
import unittest

from sleeping import COMITY, LAUNCH, PROGRAM, Jobs

CORES = len(os.sched_getaffinity(0))
RUNTIME = os.environ["COMITY_RUNTIME"]  # gnu, llvm
LOOKS = "on" if RUNTIME == "gnu" else "off"  # of LLVM's threads nobody else can tell


class Case(Jobs):
    def setUp(self):
        super().setUp()
        if CORES % 2 != 0:
            self.skipTest("NOT TESTED: two ranks do not divide the cores of this machine")

    def told(self, *words, **variables):
        line = ["env", f"OMP_NUM_THREADS={CORES}", *(f"{name}={value}" for name, value in variables.items()), COMITY, "run", "--", *LAUNCH]
        code, said, complaints = self.run_job(*line, PROGRAM, str(CORES), *words)
        self.assertIn(f"a share of {CORES // 2} core", complaints)
        return code, said, complaints

    def expect(self, said, **wanted):
        rows = {when: what for when, _, what in (line.partition(": ") for line in said.splitlines()) if what}
        for name, (cores, looks) in wanted.items():
            self.assertEqual(rows.get(name.replace("_", " ")), f"{cores} cores, looks {looks}, elsewhere {CORES}", said)



class Shares(Case):
    def test_a_team_has_what_the_other_one_leaves_until_that_is_back(self):
        code, said, complaints = self.told()
        self.assertEqual(code, 0, said + complaints)
        own = CORES // 2
        self.expect(said, at_first=(own, "off"), while_the_other_one_waits=(CORES, LOOKS), with_a_context=(own, "off"),
                    without_it=(CORES, LOOKS), when_it_is_back=(own, "off"))
        self.assertIn("signals of comity-coop: blocked", said.splitlines())
        self.expect_nothing_left()

    def test_where_idle_threads_are_the_users_cores_are_left_all_the_same(self):
        _, said, _ = self.told(OMP_WAIT_POLICY="passive")
        self.expect(said, while_the_other_one_waits=(CORES, "off"), when_it_is_back=(CORES // 2, "off"))


class Killed(Case):
    def test_what_a_rank_leaves_that_is_killed_is_left_for_good(self):
        _, said, _ = self.told("killed")
        self.expect(said, while_the_other_one_waits=(CORES, LOOKS), without_the_other_one=(CORES, LOOKS))
        self.expect_nothing_left()


def load_tests(loader, _tests, _pattern):
    return loader.loadTestsFromTestCase(globals()[os.environ["COMITY_GROUP"]])


if __name__ == "__main__":
    unittest.main()
