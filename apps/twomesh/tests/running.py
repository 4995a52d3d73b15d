# SPDX-License-Identifier: BSD-3-Clause
"""Runs of twomesh by one rank without a launcher, which would stand between it and the streams that a test gives it. The test's
first argument is the program."""
import subprocess
import sys
from pathlib import Path

SMALL = Path(__file__).parent / "small.toml"
SHORT = ["--config", SMALL, "--steps", "1", "--threads", "1"]
LIMIT_S = 50
LOST = 3


def run(*words, **options):
    return subprocess.run([sys.argv[1], *words], stdin=subprocess.DEVNULL, text=True, timeout=LIMIT_S, check=False,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
