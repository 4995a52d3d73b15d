# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

import machine


class Cores(unittest.TestCase):
    def test_siblings_are_one_core(self):
        self.assertEqual(machine.cores_of({0, 1, 2, 3}, core=lambda cpu: (0, cpu % 2)), [[0, 2], [1, 3]])

    def test_equal_core_numbers_on_two_packages_are_two_cores(self):
        self.assertEqual(machine.cores_of({0, 1}, core=lambda cpu: (cpu, 0)), [[0], [1]])

    def test_only_allowed_cpus_count(self):
        allowed = os.sched_getaffinity(0)
        self.assertEqual({cpu for core in machine.allowed_cores() for cpu in core}, allowed)


if __name__ == "__main__":
    unittest.main()
