# SPDX-License-Identifier: BSD-3-Clause
"""libcomity_preload-<mpi>.so can stand first in any process: what it shows, and what it needs."""
import os
import re
import subprocess
import unittest

LIBRARY = os.environ["LIBRARY"]


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


class Library(unittest.TestCase):
    def test_it_shows_the_names_of_mpi_and_our_own_and_no_other(self):
        names = [line.split()[-1] for line in said("nm", "-D", "--defined-only", LIBRARY).splitlines()]
        self.assertIn("MPI_Init", names)
        self.assertIn("PMPI_Init", names)
        ours = r"P?MPI_|comity_|ompt_start_tool$|ompi_sync_wait_mt$|ucp_worker_progress$|poll$|epoll_wait$|PMIx_(Commit|Fence|Fence_nb)$"
        self.assertEqual([name for name in names if not re.match(ours, name)], [])

    def test_it_needs_no_mpi_and_no_other_library_of_ours(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", LIBRARY))
        self.assertEqual([name for name in needed if "mpi" in name or "comity" in name], [])

    def test_it_leaves_nothing_to_run_when_a_process_or_a_thread_ends(self):
        called = [line.split()[-1].split("@")[0] for line in said("nm", "-D", "--undefined-only", LIBRARY).splitlines()]
        self.assertIn("dlsym", called)
        ends = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "atexit", "on_exit", "signal", "sigaction"}
        self.assertEqual(ends.intersection(called), set())

    def test_a_shell_with_it_is_a_shell(self):
        done = subprocess.run(["/bin/sh", "-c", "echo $((6 * 7)); exit 3"], env={**os.environ, "LD_PRELOAD": LIBRARY},
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "42\n", ""))


if __name__ == "__main__":
    unittest.main()
