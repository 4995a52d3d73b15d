# SPDX-License-Identifier: BSD-3-Clause
"""Runs the unit tests of one script as an entry of ctest: run_unittest.py SCRIPT [ARGUMENT...]

TEST_PART=2/3 in the environment: the second of three parts, which together are all of them, for what would take an entry too long.

Python ends with 0 where tests were skipped, and where there were none; ctest would count both as passed. What is skipped
only in places is a script of its own."""
import importlib
import os
import sys
import unittest
from pathlib import Path

FAILED = 1
SKIPPED = 77  # COMITY_MAY_SKIP in ComityTest.cmake


def tests_of(suite):
    for each in suite:
        yield from tests_of(each) if isinstance(each, unittest.TestSuite) else [each]


class PartOfThem(unittest.TestLoader):
    """Every so-many-th test, so that no part of a growing script is forgotten."""

    def loadTestsFromModule(self, *args, **words):
        part, parts = map(int, os.environ.get("TEST_PART", "1/1").split("/"))
        return self.suiteClass(list(tests_of(super().loadTestsFromModule(*args, **words)))[part - 1::parts])


def exit_code(result):
    if not result.wasSuccessful() or result.testsRun + len(result.skipped) == 0:
        return FAILED  # before all else: a failure is never hidden by a skipped neighbour
    return SKIPPED if result.skipped else 0


def main():
    del sys.argv[0]  # from here on as if Python had been given the script itself
    script = Path(sys.argv[0]).resolve()
    sys.path[0] = str(script.parent)
    module = importlib.import_module(script.stem)
    return exit_code(unittest.main(module=module, argv=[script.name, "--verbose"], testLoader=PartOfThem(), exit=False).result)


if __name__ == "__main__":
    sys.exit(main())
