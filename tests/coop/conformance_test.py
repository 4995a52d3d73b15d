# SPDX-License-Identifier: BSD-3-Clause
"""The same communication, drawn from a seed, with waits that sleep and without: every byte, status and code is the same."""
import os
import random
import subprocess
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
ROUNDS = os.environ["COMITY_ROUNDS"]
SEED = os.environ.get("COMITY_SEED") or str(random.SystemRandom().randrange(1, 1 << 31))


class Conformance(unittest.TestCase):
    def sums(self, *before):
        command = [*before, *LAUNCH, PROGRAM, SEED, ROUNDS]
        run = subprocess.run(command, capture_output=True, text=True, timeout=18, check=False)
        self.assertEqual(run.returncode, 0, f"COMITY_SEED={SEED} {' '.join(command)}\n{run.stderr}")
        self.assertEqual(len(run.stdout.splitlines()), int(LAUNCH[LAUNCH.index("-n") + 1]), run.stdout + run.stderr)
        return run.stdout

    def test_what_each_rank_gets_is_the_same(self):
        print(f"COMITY_SEED={SEED}: {ROUNDS} exchanges")
        self.assertEqual(self.sums(COMITY, "run", "--coop", "on", "--"), self.sums(), f"COMITY_SEED={SEED} repeats it")


if __name__ == "__main__":
    unittest.main()
