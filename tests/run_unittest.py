# SPDX-License-Identifier: BSD-3-Clause
"""Runs the unit tests of one script as an entry of ctest: run_unittest.py SCRIPT [ARGUMENT...]

Python ends with 0 where tests were skipped, and where there were none; ctest would count both as passed. What is skipped
only in places is a script of its own."""
import importlib
import sys
import unittest
from pathlib import Path

FAILED = 1
SKIPPED = 77  # COMITY_MAY_SKIP in ComityTest.cmake


def exit_code(result):
    if not result.wasSuccessful() or result.testsRun + len(result.skipped) == 0:
        return FAILED  # before all else: a failure is never hidden by a skipped neighbour
    return SKIPPED if result.skipped else 0


def main():
    del sys.argv[0]  # from here on as if Python had been given the script itself
    script = Path(sys.argv[0]).resolve()
    sys.path[0] = str(script.parent)
    module = importlib.import_module(script.stem)
    return exit_code(unittest.main(module=module, argv=[script.name, "--verbose"], exit=False).result)


if __name__ == "__main__":
    sys.exit(main())
