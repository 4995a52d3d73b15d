# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that must end, for the tests beside this file: with waits that sleep and without, and what they leave behind. Started by
ctest with COMITY_COMMAND, COMITY_LAUNCH (the launcher's words) and COMITY_PROGRAM set."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cooperative import TOLD, expect_cooperative

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
RANKS = int(LAUNCH[LAUNCH.index("-n") + 1])
SLEEPING = (*TOLD, COMITY, "run", "--coop", "on", "--")
GIVEN_UP_S = 50
GONE_WITHIN_S = 10  # what another job has there for a moment
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("COMITY_")}


def of_ours(folder):
    return {path.name for path in Path(folder).iterdir() if "comity" in path.name}


def processes_with(variable):
    """Those that were started with it in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue  # it has ended, or is somebody else's
    return found


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.shared = of_ours("/dev/shm")

    def run_job(self, *words, given_up_s=GIVEN_UP_S):
        """Its exit code, and what its ranks and its launcher said. One that hangs is ended; what it said tells where it was."""
        with subprocess.Popen(words, env={**ENVIRONMENT, "TMPDIR": self.folder}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as job:
            try:
                said, complaints = job.communicate(timeout=given_up_s)
            except subprocess.TimeoutExpired:
                for process in processes_with(f"TMPDIR={self.folder}"):
                    os.kill(process, signal.SIGKILL)
                said, complaints = job.communicate()
                self.fail(f"{' '.join(words)} has not ended; it said:\n{said}{complaints}")
        return job.returncode, said, complaints

    def expect_cooperative(self, complaints, part=RANKS, but=None):
        expect_cooperative(self, complaints, part, RANKS, but)

    def expect_nothing_left(self):
        self.assertEqual(of_ours(self.folder), set())
        end_s = time.monotonic() + GONE_WITHIN_S
        while (left := of_ours("/dev/shm") - self.shared) and time.monotonic() < end_s:
            time.sleep(0.1)
        self.assertEqual(left, set())
