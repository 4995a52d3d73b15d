# SPDX-License-Identifier: BSD-3-Clause
"""The last line and the exit code of the front door's scripts, with a fake cmake and a fake ctest."""
import unittest

from planted import PlantedTree

PASSED = "100% tests passed, 0 tests failed out of 132"
SKIPPED = """

The following tests did not run:
\t  8 - node_handover.pid (Skipped)
\t 31 - capi_cpuset (Skipped)"""
FAILED = """97% tests passed, 3 tests failed out of 132

The following tests FAILED:
\t  4 - node_barrier (Failed)
\t 17 - context_create.mpich.n2 (Timeout)
\t 90 - base_error (Subprocess aborted)"""


class LastLine(PlantedTree):
    def setUp(self):
        super().setUp()
        self.fake("cmake", "", 0)

    def fake(self, name, output, code):
        self.plant(f"programs/{name}", f"cat <<'OUTPUT'\n{output}\nOUTPUT\nexit {code}")

    def last_line(self, *steps, begin="begin test"):
        self.plant("tools/script", "\n".join(['. "$(dirname "$0")/common.sh"', begin, *steps, "finish"]))
        run = self.run_script("script")
        self.said = run.stdout
        return run.returncode, run.stdout.splitlines()[-1]

    def test_tests_that_pass_are_counted(self):
        self.fake("ctest", PASSED, 0)
        code, line = self.last_line("build release", "tests release build")
        self.assertEqual(code, 0)
        self.assertRegex(line, r"^make test: 132 tests passed in \d+ s$")

    def test_a_goal_is_said_to_be_met_or_missed(self):
        self.fake("ctest", PASSED, 0)
        for steps, verdict in ((), "met"), (("started=$((started - 1201))",), "missed"):
            code, line = self.last_line("tests release build", *steps, begin="begin test 20")
            self.assertEqual(code, 0)
            self.assertRegex(line, rf" passed in .* s \(goal on two cores: 20 min, {verdict}\)$")

    def test_tests_that_are_skipped_are_not_counted_as_passed(self):
        self.fake("ctest", PASSED + SKIPPED, 0)
        code, line = self.last_line("tests release build")
        self.assertEqual(code, 0)
        self.assertRegex(line, r"^make test: 130 of 132 tests \(skipped: node_handover.pid, capi_cpuset\) passed in \d+ s$")

    def test_tests_that_are_skipped_are_not_named_as_failed(self):
        self.fake("ctest", FAILED.replace("\n", SKIPPED + "\n", 1), 8)
        code, line = self.last_line("tests release build")
        self.assertEqual(code, 1)
        self.assertIn("3 of 132 tests FAILED: node_barrier, context_create.mpich.n2, base_error; log", line)

    def test_tests_that_fail_are_named_with_the_log(self):
        self.fake("ctest", FAILED, 8)
        code, line = self.last_line("build release", "tests release build")
        self.assertEqual(code, 1)
        self.assertIn("3 of 132 tests FAILED: node_barrier, context_create.mpich.n2, base_error; log: build/tests.log", line)

    def test_what_could_not_be_tested_is_said_once(self):
        self.fake("ctest", PASSED + SKIPPED, 0)
        log = self.tree / "build/Testing/Temporary/LastTest.log"
        log.parent.mkdir(parents=True)
        log.write_text("NOT TESTED: needs root\nx.cpp:1: NOT TESTED: needs root\nTested.\n", encoding="utf-8")
        self.last_line("tests release build")
        self.assertEqual(self.said.count("NOT TESTED: needs root"), 1)

    def test_the_last_line_counts_those_that_took_longer_than_a_test_may_beside_the_goal(self):
        slow = " 9/132 Test  #7: mpi_pools.mpich.n2 .....   Passed   21.30 sec\n"
        fine = "10/132 Test #17: node_barrier ...........   Passed   19.90 sec\n"
        for rows, counted in (fine, ""), (slow + fine, "; 1 test took longer than 20 s"), (2 * slow, "; 2 tests took longer than 20 s"):
            self.fake("ctest", rows + PASSED, 0)
            code, line = self.last_line("tests release build", begin="begin test 20")
            self.assertEqual(code, 0)
            self.assertRegex(line, rf"^make test: 132 tests passed in \d+ s \(goal on two cores: 20 min, met{counted}\)$")

    def test_those_of_all_presets_are_counted_together_where_there_is_no_goal(self):
        self.fake("ctest", "  9/132 Test  #7: start .....   Passed   93.89 sec\n" + PASSED, 0)
        _, line = self.last_line("tests asan build", "tests tsan build")
        self.assertRegex(line, r" passed in \d+ s \(2 tests took longer than 20 s\)$")

    def test_slow_tests_are_named_and_pass(self):
        rows = ("  9/132 Test  #7: mpi_pools.mpich.n2 .....   Passed   21.30 sec\n"
                " 10/132 Test #17: node_barrier ...........   Passed   19.90 sec\n")
        self.fake("ctest", rows + PASSED, 0)
        code, _ = self.last_line("tests release build")
        self.assertEqual(code, 0)
        self.assertIn("SLOW: mpi_pools.mpich.n2 took 21 s", self.said)
        self.assertNotIn("SLOW: node_barrier", self.said)

    def test_slow_tests_are_named_under_a_sanitizer_too(self):
        self.fake("ctest", "  9/132 Test  #7: start .....   Passed   93.89 sec\n" + PASSED, 0)
        self.last_line("tests asan build")
        self.assertIn("SLOW (asan): start took 93 s", self.said)

    def test_a_ctest_that_breaks_off_is_a_failure(self):
        self.fake("ctest", "No tests were found!!!", 1)
        code, line = self.last_line("tests release build")
        self.assertEqual(code, 1)
        self.assertIn("the tests did not run", line)

    def test_a_build_that_fails_ends_the_script(self):
        self.fake("cmake", "error", 1)
        self.fake("ctest", PASSED, 0)
        code, line = self.last_line("build release", "tests release build")
        self.assertEqual(code, 1)
        self.assertIn("FAILED", line)
        self.assertNotIn("132", line)

    def test_a_broken_check_does_not_hide_the_next(self):
        code, line = self.last_line('check "format" false', 'check "layers" sh -c "exit 3"')
        self.assertEqual(code, 1)
        self.assertIn("format FAILED", line)
        self.assertIn("layers FAILED", line)

    def test_more_than_eight_names_are_cut(self):
        rows = "\n".join(f"\t  {n} - test_{n} (Failed)" for n in range(1, 12))
        self.fake("ctest", f"0% tests passed, 11 tests failed out of 11\n{rows}", 8)
        self.assertIn("test_8 and 3 more;", self.last_line("tests release build")[1])


if __name__ == "__main__":
    unittest.main()
