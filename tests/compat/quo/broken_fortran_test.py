# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran program judges the libquo of LIBQUO and the module beside it: it notices each of 21 of the 22 subroutines that is
broken (broken_fortran.cpp). They are broken all at once, for each has a sentence of its own. quo_ptr_free gives nothing back, no
code either, so the program cannot tell what it did.
    broken_fortran_test.py LAUNCHER WORD... SCRIPT PROGRAM LIBRARY"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

*LAUNCHER, SCRIPT, PROGRAM, LIBRARY = sys.argv[1:]
PATIENCE_S = 30
SKIPPED = 77

# Of each subroutine, what the program says when it is broken.
NOTICED = {
    "quo_version": ["quo_version"],
    "quo_create": ["quo_create"],
    "quo_create_with_flags": ["quo_create_with_flags of no flags"],
    "quo_free": ["quo_free"],
    "quo_nobjs_by_type": ["quo_nobjs_by_type of no type"],
    "quo_nobjs_in_type_by_type": ["quo_nobjs_in_type_by_type of no machine"],
    "quo_cpuset_in_type": ["quo_cpuset_in_type of no PU"],
    "quo_qids_in_type": ["the list of quo_qids_in_type"],
    "quo_nnumanodes": ["quo_nnumanodes"],
    "quo_nsockets": ["quo_nsockets"],
    "quo_ncores": ["quo_ncores"],
    "quo_npus": ["quo_npus"],
    "quo_nnodes": ["quo_nnodes"],
    "quo_nqids": ["quo_nqids"],
    "quo_id": ["quo_id"],
    "quo_bound": ["quo_bound", "quo_bound on the machine"],
    "quo_bind_push": ["quo_bind_push of no PU"],
    "quo_bind_pop": ["quo_bind_pop of nothing"],
    "quo_barrier": ["quo_barrier"],
    "quo_auto_distrib": ["quo_auto_distrib of nobody"],
    "quo_get_mpi_comm_by_type": ["the communicator of the node"],
}


class BrokenFortran(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.libquo = Path(folder.name, "libquo.so.8")
        self.libquo.symlink_to(LIBRARY)
        self.module = Path(folder.name, "libquo-usequo.so.8")

    def judge(self, *launcher):
        environment = {**os.environ, "LIBQUO": str(self.libquo), "QUO_BROKEN": ",".join(NOTICED)}
        return subprocess.run([*launcher, "sh", SCRIPT, PROGRAM], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE_S, check=False)

    def test_each_broken_subroutine_is_noticed(self):
        self.module.symlink_to(LIBRARY)
        done = self.judge(*LAUNCHER)
        said = {line.removeprefix("FAIL: ") for line in done.stdout.splitlines() if line.startswith("FAIL: ")}
        self.assertEqual(said, {sentence for sentences in NOTICED.values() for sentence in sentences})
        self.assertNotIn(done.returncode, (0, SKIPPED))

    def test_a_library_without_a_module_is_not_tested(self):
        done = self.judge()
        self.assertIn(f"NOT TESTED: there is no Fortran module of {self.libquo}", done.stdout)
        self.assertEqual(done.returncode, SKIPPED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
