# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from io import StringIO

import machine
import run


class Cores(unittest.TestCase):
    def test_siblings_are_one_core(self):
        self.assertEqual(machine.cores_of({0, 1, 2, 3}, core=lambda cpu: (0, cpu % 2)), [[0, 2], [1, 3]])

    def test_equal_core_numbers_on_two_packages_are_two_cores(self):
        self.assertEqual(machine.cores_of({0, 1}, core=lambda cpu: (cpu, 0)), [[0], [1]])

    def test_only_allowed_cpus_count(self):
        allowed = os.sched_getaffinity(0)
        self.assertEqual({cpu for core in machine.allowed_cores() for cpu in core}, allowed)


class Load(unittest.TestCase):
    def test_a_machine_is_busy_above_three_tenths_of_each_core(self):
        for load, busy in (0.6, False), (0.61, True):
            described = machine.describe([[0], [1]], load=lambda: load)
            self.assertEqual((described["load_at_start"], described["busy_at_start"]), (load, busy))
            with redirect_stderr(StringIO()) as said:
                run.warn_if_busy(described)
            self.assertEqual(said.getvalue().startswith("make demo: Other programs ran at the start (load 0.6 on 2 cores)"), busy)


class Bound(unittest.TestCase):
    def test_a_shell_that_may_use_all_cpus_is_fine(self):
        self.assertEqual(machine.bound_to_less({0, 1}, {0, 1}), "")

    def test_a_bound_shell_is_told_with_both_lists_and_what_lets_it_go(self):
        why = machine.bound_to_less({1, 4}, {0, 1, 2, 4, 5})
        self.assertIn("bound to CPUs 1,4 of 0-2,4-5", why)
        self.assertIn("taskset -cp 0-2,4-5 $$", why)

    def test_what_can_be_reached_is_the_same_for_a_bound_thread_which_stays_bound(self):
        whole = machine.reachable_cpus()
        one = {max(whole)}

        def ask_when_bound():
            os.sched_setaffinity(0, one)
            return machine.reachable_cpus(), os.sched_getaffinity(0)

        with ThreadPoolExecutor(1) as thread:
            self.assertEqual(thread.submit(ask_when_bound).result(), (whole, one))


class Simulated(unittest.TestCase):
    def test_each_variable_that_names_another_machine_is_told(self):
        for name in ("HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"):
            self.assertEqual(machine.simulated_by({"PATH": "/bin", name: "x"}), [name])
        self.assertEqual(machine.simulated_by({"HWLOC_THISSYSTEM": "0"}), ["HWLOC_THISSYSTEM"])

    def test_a_file_of_this_machine_and_other_variables_of_hwloc_are_fine(self):
        self.assertEqual(machine.simulated_by({"HWLOC_XMLFILE": "x", "HWLOC_THISSYSTEM": "1"}), [])
        self.assertEqual(machine.simulated_by({"HWLOC_HIDE_ERRORS": "2", "PATH": "/bin"}), [])


if __name__ == "__main__":
    unittest.main()
