# SPDX-License-Identifier: BSD-3-Clause
"""`comity memory watch --job` beside two ranks with memory of known sizes (window.c). Started by ctest with COMMAND_UNDER_TEST,
COMITY_LAUNCH (the launcher's words) and WINDOW set."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import run  # noqa: E402  pylint: disable=wrong-import-position

MIB = 1 << 20
RANKS = 2
LAUNCH = os.environ["COMITY_LAUNCH"].split()


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(lambda: subprocess.run(["rm", "-r", str(self.folder)], check=True))
        os.mkfifo(self.folder / "wake")
        self.process = subprocess.Popen([*LAUNCH, "-n", str(RANKS), os.environ["WINDOW"], str(self.folder)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.wake)
        while len(list(self.folder.glob("rank-*"))) < RANKS:
            self.assertIsNone(self.process.poll(), "the job has ended")
            time.sleep(0.01)

    def wake(self):
        """All that wait in open() get a writer, and then the end of the file."""
        while self.process.poll() is None:
            try:
                os.close(os.open(self.folder / "wake", os.O_WRONLY | os.O_NONBLOCK))
            except OSError:  # nobody reads now
                time.sleep(0.01)

    def test_ranks_are_told_with_their_windows_and_mpis_part(self):
        done = run("memory", "watch", "--job", self.process.pid, "--json", "--samples", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        pids = [int((self.folder / f"rank-{rank}").read_text()) for rank in range(RANKS)]
        self.assertEqual({process["rank"]: process["pid"] for process in told["processes"]}, dict(enumerate(pids)))
        segments = told["together"]["segments"]
        window = max(segments, key=lambda segment: segment["pss_bytes"])
        self.assertGreaterEqual(window["pss_bytes"], RANKS * 16 * MIB)
        self.assertLess(window["pss_bytes"], RANKS * 16 * MIB + MIB)
        self.assertEqual(window["processes"], RANKS)
        for process in told["processes"]:
            components = process["mappings"]["components"]
            self.assertGreater(components["mpi"]["rss_bytes"], MIB)
            self.assertGreater(components["heap"]["rss_bytes"] + components["anonymous"]["rss_bytes"], 8 * MIB)
            total = sum(use["rss_bytes"] for use in components.values())
            self.assertAlmostEqual(total, process["mappings"]["rss_bytes"], delta=process["mappings"]["rss_bytes"] / 100)
        text = run("memory", "watch", "--job", self.process.pid).stdout
        self.assertIn("2 processes: together", text)
        self.assertIn("MPI and what it brought", text)


if __name__ == "__main__":
    unittest.main()
