# SPDX-License-Identifier: BSD-3-Clause
"""Subscribers that look at little: at one function, at none, or at one that they replace."""
import os
import tempfile
import unittest
from collections import Counter

from witnessed import CALLS, MPI, Case

FUNCTIONS_A_RUN = 3  # one a rank: to start a job takes longer than all that its ranks do


class Replacements(Case):
    def test_a_function_is_replaced_and_its_call_is_seen_once(self):
        run = self.run_program(f"interpose_barriers-{MPI}", environment={"COMITY_WITNESS_REPLACES": "1"})
        self.assert_counts(run, 2, {"MPI_Init": 1, "MPI_Barrier": 5, "other_barrier": 5, "MPI_Send": 1, "MPI_Pcontrol": 1,
                                    "MPI_Finalize": 1})


class OneFunction(Case):
    """Who watches one function alone sees all of its calls that the program makes, and none that MPI makes inside others."""

    def test_of_many_that_are_called(self):
        names = list(CALLS)
        for first in range(0, len(names), FUNCTIONS_A_RUN):
            only = names[first:first + FUNCTIONS_A_RUN]
            with self.subTest(only=only):
                run = self.run_program(f"interpose_calls-{MPI}", only=only)
                self.assertCountEqual(run.counts, [Counter({name: CALLS[name]}) for name in only])

    def test_with_a_tool_behind_us(self):
        program = f"interpose_barriers_with_tool-{MPI}"
        for name, wanted in (("MPI_Barrier", {"MPI_Barrier": 5}), ("MPI_Comm_rank", {})):  # the tool calls that inside
            with self.subTest(name=name):
                run = self.run_program(program, environment={"COMITY_WITNESS_ONLY": name})
                self.assert_counts(run, 2, wanted)


class InnerCalls(Case):
    """What one MPI or the other calls inside its own functions; which do, leaves_test reads in their code."""

    INNER = ["MPI_Sendrecv", "MPI_Alloc_mem", "MPI_Free_mem",    # of MPI_Sendrecv_replace, Open MPI
             "MPI_Type_create_struct", "MPI_Comm_set_errhandler",  # of MPI_Type_struct, MPI_Errhandler_set, both
             "MPI_Comm_create_keyval", "MPI_Comm_set_attr",        # of MPI_Keyval_create, MPI_Attr_put, MPICH
             "MPI_Grequest_start", "MPI_Grequest_complete",        # of MPI_File_iwrite and MPI_Wait, MPICH
             "MPI_Status_set_elements_x", "MPI_Status_set_cancelled"]
    OUTER = {"MPI_Sendrecv_replace": 2, "MPI_Type_struct": 1, "MPI_Errhandler_set": 1, "MPI_Keyval_create": 1, "MPI_Attr_put": 1,
             "MPI_File_iwrite": 1, "MPI_Wait": 1}

    def counts(self, names):
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for first in range(0, len(names), FUNCTIONS_A_RUN):
                only = names[first:first + FUNCTIONS_A_RUN]
                found += self.run_program(f"interpose_inner-{MPI}", os.path.join(folder, "file"), only=only).counts
        return found

    def test_who_watches_the_inner_function_alone_sees_none(self):
        self.assertEqual(self.counts(self.INNER), [Counter() for _ in self.INNER])

    def test_who_watches_the_programs_own_sees_each_once(self):
        self.assertCountEqual(self.counts(list(self.OUTER)), [Counter({name: count}) for name, count in self.OUTER.items()])


class Nobody(Case):
    def test_a_library_with_nobody_to_tell_changes_nothing(self):
        run = self.run_program(f"interpose_calls-{MPI}", environment={"COMITY_WITNESS_ONLY": "nothing"})
        self.assertEqual(run.counts, [Counter(), Counter()])


if __name__ == "__main__":
    unittest.main()
