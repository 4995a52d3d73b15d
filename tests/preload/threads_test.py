# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in which a thread beside the main one calls MPI, has a processor of its own, or is in a region while a child is forked, and what the page says
of them."""
import os
import re
import subprocess
import tempfile
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()


class Case(unittest.TestCase):
    def run_threads(self, level, word, detail="on"):
        done = subprocess.run([COMITY, "run", "--", *LAUNCH, "-n", "1", PROGRAM, level, word], capture_output=True,
                              text=True, timeout=50, check=False, env={**os.environ, "COMITY_METRICS": detail})
        self.assertEqual(done.returncode, 0, done.stderr)
        if "level refused" in done.stdout:
            self.skipTest(f"NOT TESTED: this MPI does not provide {level}")
        found = re.search(r"thread=(\d+)", done.stdout)
        return done.stderr, found and found.group(1)


class Levels(Case):
    def test_calls_at_once_need_multiple(self):
        told, thread = self.run_threads("MPI_THREAD_MULTIPLE", "at once")
        self.assertIn(f"the main thread and thread {thread} (caller) call MPI at once, as MPI_THREAD_MULTIPLE demands", told)
        self.assertNotIn("error:", told)

    def test_calls_by_turns_need_serialized(self):
        told, thread = self.run_threads("MPI_THREAD_MULTIPLE", "turns")
        self.assertIn(f"the main thread and thread {thread} (caller) call MPI, and no two calls were seen to overlap", told)
        self.assertIn("MPI_THREAD_SERIALIZED would do if the program itself keeps its calls apart", told)
        told, _ = self.run_threads("MPI_THREAD_SERIALIZED", "turns")
        self.assertIn("as MPI_THREAD_SERIALIZED demands", told)
        self.assertNotIn("error:", told)

    def test_without_times_nobody_sees_whether_calls_overlap(self):
        for level, word in (("MPI_THREAD_SERIALIZED", "turns"), ("MPI_THREAD_MULTIPLE", "at once")):
            told, thread = self.run_threads(level, word, "counts")
            self.assertIn(f"the main thread and thread {thread} (caller) call MPI, and whether at once is not told", told)
            self.assertIn("MPI_THREAD_SERIALIZED at least is needed.", told)
            self.assertNotIn("error:", told)

    def test_who_breaks_the_level_is_named_once(self):
        for detail in ("on", "counts"):
            with self.subTest(detail=detail):
                told, thread = self.run_threads("MPI_THREAD_FUNNELED", "turns", detail)
                lines = re.findall(r"error: \[metrics\] (.*)", told)
                self.assertEqual(len(lines), 1, told)
                self.assertIn(f"MPI_Barrier is called on thread {thread}, which is not MPI's main thread", lines[0])
                self.assertIn("provides only MPI_THREAD_FUNNELED", lines[0])
                self.assertIn("MPI_THREAD_SERIALIZED at least is needed, and MPI_THREAD_FUNNELED is provided", told)


class Processors(Case):
    def test_of_threads_with_masks_of_their_own_count(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("NOT TESTED: there is one processor")
        told, _ = self.run_threads("MPI_THREAD_FUNNELED", "wide")
        self.assertIn("comity: 1 rank, 1 node, 2 processors", told)


class Forks(Case):
    def test_a_fork_child_waits_for_no_thread_that_it_does_not_have(self):
        """It waited for ever in its first region: a thread of its parent's had the lock of all names."""
        with tempfile.TemporaryDirectory() as folder:
            for options in ([], ["--memory"], ["--record", os.path.join(folder, "out")]):
                done = subprocess.run([COMITY, "run", "--metrics", *options, "--", *LAUNCH, "-n", "1", PROGRAM], capture_output=True,
                                      text=True, timeout=50, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "the child went on\n"), done.stderr)
                self.assertRegex(done.stderr, r"\n  main +1 ", "the parent's are told")
                self.assertNotIn("of the child's", done.stderr)


def load_tests(loader, tests, _pattern):
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(globals()[group]) if group else tests


if __name__ == "__main__":
    unittest.main()
