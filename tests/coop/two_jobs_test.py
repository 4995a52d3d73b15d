# SPDX-License-Identifier: BSD-3-Clause
"""Two jobs, each under a launcher of its own, connect over a port and talk while waits sleep. Open MPI's launchers find one another by a
server."""
import os
import shutil
import subprocess
import threading
import time
import unittest

from sleeping import LAUNCH, PROGRAM, SLEEPING, Jobs

SERVER = shutil.which("ompi-server")
THERE_WITHIN_S = 10


class TwoJobs(Jobs):
    def start_server(self):
        """Where it can be asked, as its users name it."""
        uri = os.path.join(self.folder, "server")
        # Not with this folder as TMPDIR: what it leaves there is its own.
        server = subprocess.Popen([SERVER, "--no-daemonize", "-r", uri], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        end_s = time.monotonic() + THERE_WITHIN_S
        while not (os.path.exists(uri) and os.path.getsize(uri)) and time.monotonic() < end_s:
            time.sleep(0.05)
        return f"file:{uri}"

    @unittest.skipUnless(SERVER, "NOT TESTED: there is no ompi-server, by which launchers of Open MPI find one another")
    def test_they_talk(self):
        launch = (LAUNCH[0], "--ompi-server", self.start_server(), *LAUNCH[1:])
        ends = {}

        def run(case):
            ends[case] = self.run_job(*SLEEPING, *launch, PROGRAM, case)

        jobs = [threading.Thread(target=run, args=(case,)) for case in ("accepting", "connecting")]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        self.assertEqual(len(ends), 2, "a job has not ended")
        for case, (code, said, complaints) in ends.items():
            self.assertEqual(code, 0, said + complaints)
            self.assertEqual(said.split(), [case, "done"], complaints)
            self.expect_cooperative(complaints)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
