# SPDX-License-Identifier: BSD-3-Clause
"""What a program with comity::start finds, and what it does without, started on one CPU."""
import unittest

from starting import ALLOWED, OnOneCpu, start


class Start(OnOneCpu):
    def test_libraries_see_all_cpus_while_they_are_loaded(self):
        self.assertEqual(self.saw()["at_load"], len(ALLOWED))

    def test_without_it_they_see_one(self):
        self.assertEqual(self.saw("WITHOUT")["at_load"], 1)

    def test_the_programs_own_code_finds_the_launchers_binding(self):
        saw = self.saw()
        self.assertEqual((saw["in_constructor"], saw["in_main"], saw["first_cpu"]), (1, 1, self.cpu))

    def test_a_thread_that_a_library_started_is_bound_too(self):
        self.assertEqual(self.saw(LIBRARY_THREAD="1")["of_thread"], 1)

    def test_the_first_thread_is_bound_where_threads_cannot_be_listed(self):
        self.assertEqual(self.saw(LIBRARY_TAKES_FILES="1")["in_main"], 1)

    def test_who_bound_itself_while_it_was_loaded_stays_there(self):
        other = ALLOWED[0]
        saw = self.saw(LIBRARY_PINS=str(other))
        self.assertEqual((saw["in_main"], saw["first_cpu"]), (1, other))

    def test_nothing_is_widened_where_the_runtime_pins_its_threads_itself(self):
        for policy in ("OMP_PROC_BIND=true", "OMP_PLACES=cores", "GOMP_CPU_AFFINITY=0-1", "KMP_AFFINITY=compact"):
            name, value = policy.split("=")
            with self.subTest(policy):
                self.assertEqual(self.saw(**{name: value})["at_load"], 1)


class Unbound(unittest.TestCase):
    def test_nothing_changes_where_the_launcher_bound_nobody(self):
        self.assertEqual([start(kind, set(ALLOWED))[0][name] for kind in ("WITH", "WITHOUT")
                          for name in ("at_load", "in_main", "team")], 6 * [len(ALLOWED)])


if __name__ == "__main__":
    unittest.main()
