# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of which some ranks have not loaded the library, or are told to leave MPI alone: they end as without it, and with the
same results."""
import os
import unittest

from sleeping import COMITY, LAUNCH, PROGRAM, RANKS, SLEEPING, Jobs

CASES = os.environ["COMITY_CASES"].split(",")
IN_THE_FOLDER = os.environ.get("COMITY_WRITES")  # the program writes a file
AT = LAUNCH.index("-n")
LAUNCHER = LAUNCH[:AT] + LAUNCH[AT + 2:]
STATIC = os.environ.get("COMITY_STATIC_PROGRAM")  # the same with its MPI inside, past all that is preloaded
UNLOADED = ("env", "-u", "LD_PRELOAD")
SWITCHED_OFF = ("env", "COMITY_COOP=off", "COMITY_METRICS=off", "COMITY_RECORD_DIRECTORY=")


class Parts(Jobs):
    def line(self, *parts):
        """The launcher's line of parts (ranks, words before the program), each of which has some."""
        return self.line_of(*((ranks, (*before, PROGRAM)) for ranks, before in parts))

    def line_of(self, *parts):
        """The same of parts (ranks, words up to the program)."""
        what = (*CASES, *([os.path.join(self.folder, IN_THE_FOLDER)] if IN_THE_FOLDER else ()))
        words = [[":", "-n", str(ranks), *program, *what] for ranks, program in parts if ranks > 0]
        return [*LAUNCHER, *sum(words, [])[1:]]


class Waits(Parts):
    def jobs(self):
        """How many ranks take part in each, and its line."""
        half = RANKS // 2
        yield RANKS - half, self.line((RANKS - half, ()), (half, UNLOADED))
        yield RANKS - half, self.line((half, UNLOADED), (RANKS - half, ()))
        yield RANKS - 1, self.line((1, SWITCHED_OFF), (RANKS - 1, ()))
        if STATIC:
            yield RANKS - half, self.line_of((RANKS - half, (PROGRAM,)), (half, (STATIC,)))

    def test_they_are_not_waited_for(self):
        code, bare, complaints = self.run_job(*self.line((RANKS, ())))
        self.assertEqual(code, 0, bare + complaints)
        for part, job in self.jobs():
            with self.subTest(" ".join(job)):
                code, said, complaints = self.run_job(*SLEEPING, *job)
                self.assertEqual(code, 0, said + complaints)
                self.assertEqual(said, bare, complaints)
                self.expect_cooperative(complaints, part)
        self.expect_nothing_left()


class Measures(Parts):
    def test_the_run_is_not_measured_and_one_line_says_why(self):
        for before in (UNLOADED, SWITCHED_OFF):
            job = self.line((RANKS - 1, ()), (1, before))
            measured = (COMITY, "run", "--metrics", "--record", os.path.join(self.folder, "record"), "--coop", "off", "--")
            code, said, complaints = self.run_job(*measured, *job)
            self.assertEqual(code, 0, said + complaints)
            why = [line for line in complaints.splitlines() if "is not measured" in line]
            self.assertEqual(len(why), 1, complaints)
            self.assertIn(f": 1 of {RANKS} ranks take no part", why[0])
            self.assertNotIn("parallel efficiency", complaints)

    def test_a_page_that_not_all_want_is_not_printed_and_one_line_says_why(self):
        job = self.line((RANKS - 1, ()), (1, ("env", "COMITY_METRICS=off")))
        record = os.path.join(self.folder, "record")
        code, said, complaints = self.run_job(COMITY, "run", "--metrics", "--record", record, "--coop", "off", "--", *job)
        self.assertEqual(code, 0, said + complaints)
        self.assertEqual(len([line for line in complaints.splitlines() if "is not printed" in line]), 1, complaints)
        self.assertNotIn("parallel efficiency", complaints)
        self.assertTrue(os.path.exists(os.path.join(record, "run.comity")), complaints)


def load_tests(loader, _tests, _pattern):
    return loader.loadTestsFromTestCase(globals()[os.environ["COMITY_GROUP"]])


if __name__ == "__main__":
    unittest.main()
