# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of four ranks that let MPI reorder: without our leave, beside other parts, and where not all ranks take part."""
import os
import subprocess
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
FINE = [f"rank {rank}: fine" for rank in range(4)]
GIVEN_UP_S = 50


class Jobs(unittest.TestCase):
    def job(self, options, programs):
        """What a job says on standard error; its ranks find what they expect."""
        line = []
        for ranks, words in programs:
            line += [":"] * bool(line) + ["-n", str(ranks), *words]
        done = subprocess.run([COMITY, "run", *options, "--", *LAUNCH, *line], capture_output=True, text=True,
                              timeout=GIVEN_UP_S, check=False)
        self.assertEqual(sorted(done.stdout.splitlines()), FINE, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_nothing_is_reordered_unless_asked_for(self):
        self.job(["--coop", "off", "--metrics"], [(4, [PROGRAM, "off"])])

    def test_it_goes_with_sleeping_waits_and_figures(self):
        self.job(["--reorder", "--coop", "on", "--metrics"], [(4, [PROGRAM, "on"])])

    def test_where_a_rank_does_not_take_part_all_keep_their_order(self):
        told = self.job(["--reorder"], [(3, [PROGRAM, "off"]), (1, ["env", "COMITY_REORDER=off", PROGRAM, "off"])])
        self.assertIn("[reorder] communicators keep their order: not all ranks", told)

    def test_the_log_tells_what_was_won(self):
        told = self.job(["--reorder"], [(4, ["env", "COMITY_LOG=info", PROGRAM, "on"])])
        self.assertNotIn("less than one dimension", told, "of a grid that has none, which is no mistake")
        self.assertIn("[place] ordered 4 processes: worst/sum of each level, nodes first, were 0/0, 3/3 and are 0/0, 1/1", told)


if __name__ == "__main__":
    unittest.main()
