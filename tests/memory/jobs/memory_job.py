# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of this folder have in common: a job of Comity's command, what its record says, and how exactly that is known."""
import csv
import io
import os
import subprocess
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
MEGA = 1 << 20


def comity(*words, **more):
    return subprocess.run([COMITY, *words], capture_output=True, text=True, timeout=50, check=False, **more)


def launch(options, *words, ranks=2, behind=(), **more):
    """A job of PROGRAM under `comity run` with these options; `behind`: what the whole command is run by."""
    command = [*behind, COMITY, "run", *options, "--", *LAUNCH, "-n", str(ranks), PROGRAM, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=False, **more)


def report(record, *words):
    done = comity("report", record, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(record, table):
    return list(csv.DictReader(io.StringIO(report(record, f"--csv={table}"))))


class JobCase(unittest.TestCase):
    def near(self, bytes_told, bytes_known):
        self.assertAlmostEqual(bytes_told, bytes_known, delta=max(bytes_known / 100, 65536))


def group_of(names, loader, tests):
    """For load_tests: the class that COMITY_GROUP names alone, so that each is an entry of its own."""
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(names[group]) if group else tests
