# SPDX-License-Identifier: BSD-3-Clause
"""The same programs of communication, drawn from a seed, with waits that sleep and without: every byte, status and code is the
same."""
import os
import random
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs

PROGRAMS = os.environ["COMITY_PROGRAMS"]
SEED = os.environ.get("COMITY_SEED") or str(random.SystemRandom().randrange(1, 1 << 31))
SHOWN = 5


class Conformance(Jobs):
    def sums(self, *before):
        """What each program gave, by its number."""
        line = [*before, *LAUNCH, PROGRAM, SEED, PROGRAMS]
        code, said, complaints = self.run_job(*line)
        self.assertEqual(code, 0, f"{' '.join(line)}\n{complaints}")
        if before:
            self.expect_cooperative(complaints)
        rows = [row.split(maxsplit=1) for row in said.splitlines()]
        self.assertEqual([number for number, _ in rows], [str(i) for i in range(int(PROGRAMS))], complaints)
        return dict(rows)

    def test_what_each_rank_gets_is_the_same(self):
        print(f"COMITY_SEED={SEED}: {PROGRAMS} programs", flush=True)
        bare = self.sums()
        sleeping = self.sums(*SLEEPING)
        others = [number for number in bare if bare[number] != sleeping[number]]
        repeat = " ".join([*LAUNCH, PROGRAM, SEED, "1", others[0], "told"]) if others else ""
        self.assertEqual(others[:SHOWN], [], f"these programs give something else; COMITY_SEED={SEED} repeats all, and the "
                                             f"first alone, with and without `{' '.join(SLEEPING)}`: {repeat}")


if __name__ == "__main__":
    unittest.main()
