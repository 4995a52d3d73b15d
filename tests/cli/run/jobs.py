# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of a real launcher under `comity run`, for the tests beside this file. Started by ctest with COMITY_MPI,
COMITY_LAUNCH (the launcher's words), RANKS and RANK_PROGRAM (rank.c) set."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import COMMAND  # noqa: E402  pylint: disable=wrong-import-position

MPI = os.environ["COMITY_MPI"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
RANKS = int(os.environ["RANKS"])
PROGRAM = os.environ["RANK_PROGRAM"]
LIBRARY = f"libcomity_preload-{MPI}.so"
SECONDS = 50
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("COMITY_")}


def bare(*words, program=PROGRAM):
    """The launcher's line."""
    return [*LAUNCH, "-n", str(RANKS), program, *map(str, words)]


def comity(*words, options=()):
    return [COMMAND, "run", *options, "--", *words]


def run(line, **variables):
    return subprocess.run(line, env={**ENVIRONMENT, **variables}, capture_output=True, text=True, check=False,
                          timeout=SECONDS)


def told(output, name):
    """What each rank that spoke said of a name, by rank."""
    return {int(rank): value for rank, value in re.findall(rf"^rank (\d+) {name}=(.*)$", output, re.MULTILINE)}


def everywhere(value, ranks=RANKS):
    return dict.fromkeys(range(ranks), value)
