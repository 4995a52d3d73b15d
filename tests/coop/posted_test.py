# SPDX-License-Identifier: BSD-3-Clause
"""Sums and gathers that ranks make of what all have laid on the board come out as the library's own, to the last bit; and they are made so."""
import os
import re
import unittest

from sleeping import COMITY, LAUNCH, PROGRAM, RANKS, Jobs

MADE = re.compile(r"waits of a rank that slept ended rank=(\d+) .* posted=(\d+)")
FEW = ("few",) if "COMITY_FEW" in os.environ else ()
LEAST = 30 if FEW else 440 if RANKS < 4 else 690


class Posted(Jobs):
    def results(self, *words):
        code, said, complaints = self.run_job(*words, *LAUNCH, PROGRAM, *FEW)
        self.assertEqual(code, 0, said + complaints)
        results = sorted(said.splitlines())
        self.assertEqual(len(results), RANKS)
        return results, complaints

    def test_come_out_as_the_librarys_own(self):
        bare, _ = self.results()
        cooperative, complaints = self.results("env", "COMITY_LOG=debug", COMITY, "run", "--coop", "on", "--")
        self.expect_cooperative(complaints)
        self.assertEqual(cooperative, bare)
        made = {int(rank): int(count) for rank, count in MADE.findall(complaints)}
        print(made, flush=True)
        self.assertEqual(len(made), RANKS)
        self.assertGreaterEqual(min(made.values()), LEAST)


if __name__ == "__main__":
    unittest.main()
