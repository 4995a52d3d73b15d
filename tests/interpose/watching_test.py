# SPDX-License-Identifier: BSD-3-Clause
"""Subscribers that look at little: at one function, at none, or at one that they replace."""
import unittest
from collections import Counter

from witnessed import CALLS, MPI, Case


class Replacements(Case):
    def test_a_function_is_replaced_and_its_call_is_seen_once(self):
        run = self.run_program(f"interpose_barriers-{MPI}", environment={"COMITY_WITNESS_REPLACES": "1"})
        self.assert_counts(run, 2, {"MPI_Init": 1, "MPI_Barrier": 5, "other_barrier": 5, "MPI_Send": 1, "MPI_Pcontrol": 1,
                                    "MPI_Finalize": 1})


class OneFunction(Case):
    """Who watches one function alone sees all of its calls that the program makes, and none that MPI makes inside others."""

    def test_of_many_that_are_called(self):
        for name, count in CALLS.items():
            with self.subTest(name=name):
                run = self.run_program(f"interpose_calls-{MPI}", ranks=1, environment={"COMITY_WITNESS_ONLY": name})
                self.assert_counts(run, 1, {name: count})

    def test_with_a_tool_behind_us(self):
        program = f"interpose_barriers_with_tool-{MPI}"
        for name, wanted in (("MPI_Barrier", {"MPI_Barrier": 5}), ("MPI_Comm_rank", {})):  # the tool calls that inside
            with self.subTest(name=name):
                run = self.run_program(program, environment={"COMITY_WITNESS_ONLY": name})
                self.assert_counts(run, 2, wanted)


class Nobody(Case):
    def test_a_library_with_nobody_to_tell_changes_nothing(self):
        run = self.run_program(f"interpose_calls-{MPI}", environment={"COMITY_WITNESS_ONLY": "nothing"})
        self.assertEqual(run.counts, [Counter(), Counter()])


if __name__ == "__main__":
    unittest.main()
