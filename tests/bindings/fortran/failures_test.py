# SPDX-License-Identifier: BSD-3-Clause
"""A call that fails without ierr says its sentence and ends the program; it neither goes on nor crashes."""
import os
import subprocess
import unittest


def end_of(call):
    return subprocess.run([os.environ["FAILING"], call], capture_output=True, text=True, check=False)


class Failures(unittest.TestCase):
    def expect(self, call, *words):
        done = end_of(call)
        self.assertEqual(done.returncode, 1, done.stderr)  # error stop, not a signal
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_a_variable_that_holds_none(self):
        self.expect("none", "comity_context_pop failed: COMITY_ERR_ARGUMENT: ")

    def test_a_name_of_a_freed_context(self):
        self.expect("freed", "comity_context_pop failed: COMITY_ERR_HANDLE: ", "it was freed")

    def test_an_index_that_is_not_there(self):
        self.expect("range", "comity_context_push failed: COMITY_ERR_RANGE: ")

    def test_a_group_that_is_none(self):
        self.expect("group", "comity_context_quiesce failed: COMITY_ERR_HANDLE: ", "the group is there but holds none")

    def test_a_call_out_of_order(self):
        self.expect("region", "comity_region_end failed: COMITY_ERR_ORDER: ")

    def test_what_does_not_fail_goes_on(self):
        done = end_of("nothing")
        self.assertEqual((done.returncode, done.stdout), (0, "went on\n"))


if __name__ == "__main__":
    unittest.main()
