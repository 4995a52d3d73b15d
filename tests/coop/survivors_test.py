# SPDX-License-Identifier: BSD-3-Clause
"""Ranks are killed while the others sleep, under a launcher that lets these go on: they do, among themselves and at once."""
import re
import unittest

from sleeping import LAUNCH, PROGRAM, RANKS, SLEEPING, Jobs

ALIVE = RANKS - 2 if RANKS >= 4 else RANKS - 1
AT_ONCE_MS = 1000
TRIES = 3  # on a machine that is crowded


class Survivors(Jobs):
    def went_on_after_ms(self):
        """The survivors' messages and collectives, from when the last one was killed."""
        _, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM, "survivors")
        self.assertEqual(set(re.findall(r"rank (\d+) went on", said)), {str(rank) for rank in range(ALIVE)}, said + complaints)
        self.expect_cooperative(complaints, but="of the group died")
        self.expect_nothing_left()
        return int(re.search(r"^took (\d+)$", said, re.MULTILINE).group(1))

    def test_they_go_on_among_themselves(self):
        took_ms = []
        while not took_ms or (took_ms[-1] > AT_ONCE_MS and len(took_ms) < TRIES):
            took_ms.append(self.went_on_after_ms())
        print(f"after {took_ms} ms", flush=True)
        self.assertLessEqual(min(took_ms), AT_ONCE_MS)


if __name__ == "__main__":
    unittest.main()
