# SPDX-License-Identifier: BSD-3-Clause
"""The arrivals of p ranks at a barrier ring less than p times, on a communicator that has just been made too, and where there are windows; so do those at a sum
of all or a gather to all of little data, which have nothing else to ring for.
A put and a fence ring as a sum of all does, and a question rings when it is answered, however often it is asked."""
import unittest

from sleeping import LAUNCH, PROGRAM, RANKS, SLEEPING, Jobs

# A call: one before each, and its own; behind the making of a window some are still told for a while of what was done for that.
BARRIERS = {"Nothing": 1, "Barrier": 2, "Allreduce": 2, "Allgather": 2, "Barrier_with_window": 3}
# How often all are rung for the steps of two ranks, at the most, with the barrier; answers that ring each time are far beyond.
QUESTIONS = {"Parrived": 16, "Win_test": 24}
TIMES_OF_A_SUM = 3
AROUND = 2  # the one before, of which rank 0 may leave while the last one still rings others, and the one behind


RUNS = 3  # the least of each count, for a rank that the others' work keeps from a processor falls asleep more often than once, and is rung again


class Rings(Jobs):
    def counts(self):
        code, said, complaints = self.run_job(*SLEEPING, *LAUNCH, PROGRAM)
        self.assertEqual(code, 0, said + complaints)
        self.expect_cooperative(complaints)
        told = {name: (int(calls), int(rings)) for name, calls, rings in (row.split() for row in said.splitlines())}
        print(told, flush=True)
        return told

    def too_many(self, told):
        """By name, how often was rung and how often may be."""
        # Steps inside the library wake those that are asleep there, in a fence as in a sum of all.
        most = {"Put": TIMES_OF_A_SUM * told["Allreduce_of_much"][1],
                **{name: (told[name][0] * each + AROUND) * (RANKS - 1) for name, each in {**BARRIERS, **QUESTIONS}.items()}}
        return {name: (told[name][1], limit) for name, limit in most.items() if told[name][1] > limit}

    def test_arrivals_ring_less_than_once_a_rank(self):
        told = self.counts()
        for _ in range(RUNS - 1):
            if not self.too_many(told):
                break
            told = {name: min(told[name], each) for name, each in self.counts().items()}
        self.assertEqual(self.too_many(told), {})
        for name in {**BARRIERS, **QUESTIONS}:
            self.assertGreater(told[name][1], 0, f"{name}: nobody has slept")
        self.assertEqual(told["Freed_windows"][1], 0, "windows that were freed inside another call keep their places in the segment")


if __name__ == "__main__":
    unittest.main()
