# SPDX-License-Identifier: BSD-3-Clause
"""libcomity_memory.so as a file: what it shows, and that it leaves a program's handlers, buffers and end alone."""
import os
import re
import subprocess
import unittest

LIBRARY = os.environ["LIBRARY"]


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


class Library(unittest.TestCase):
    def test_it_shows_the_names_of_malloc_and_its_table_and_no_other(self):
        names = [line.split()[-1].split("@")[0] for line in said("nm", "-D", "--defined-only", LIBRARY).splitlines()]
        self.assertIn("malloc", names)
        ours = r"(malloc|calloc|realloc|reallocarray|free|posix_memalign|aligned_alloc|memalign|p?valloc|malloc_usable_size|comity_memory_ledger)$|_Z(nw|na|dl|da)"
        self.assertEqual([name for name in names if not re.match(ours, name)], [])

    def test_it_touches_no_handler_and_no_buffer_and_leaves_nothing_to_run_at_an_end(self):
        called = {line.split()[-1].split("@")[0] for line in said("nm", "-D", "--undefined-only", LIBRARY).splitlines()}
        self.assertIn("dlsym", called)
        never = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "atexit", "on_exit", "signal", "sigaction", "setbuf",
                 "setvbuf", "setlinebuf", "setbuffer", "pthread_create", "stdout"}
        self.assertEqual(never.intersection(called), set())

    def test_it_needs_no_mpi_and_no_other_library_of_ours(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", LIBRARY))
        self.assertEqual([name for name in needed if "mpi" in name or "comity" in name], [])


if __name__ == "__main__":
    unittest.main()
