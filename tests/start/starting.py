# SPDX-License-Identifier: BSD-3-Clause
"""Starts the program, with comity::start or without, on some CPUs."""
import json
import os
import subprocess
import unittest

ALLOWED = sorted(os.sched_getaffinity(0))
SETTINGS = ("OMP_", "GOMP_", "KMP_", "COMITY_", "LIBRARY_")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}


def start(kind, cpus, regions=0, **variables):
    """What the program says, and its stderr."""
    done = subprocess.run([os.environ[f"PROGRAM_{kind}"], str(regions)], env={**ENVIRONMENT, **variables}, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    if done.returncode != 0:
        raise AssertionError(f"ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout), done.stderr


@unittest.skipIf(len(ALLOWED) < 2, "NOT TESTED: one CPU only, nothing could be wider")
class OnOneCpu(unittest.TestCase):
    cpu = ALLOWED[-1]

    def saw(self, kind="WITH", regions=0, **variables):
        return start(kind, {self.cpu}, regions, **variables)[0]
