# SPDX-License-Identifier: BSD-3-Clause
"""How a job under `comity run` ends: by its ranks, or by a signal to the command."""
import os
import signal
import subprocess
import time
import unittest

from jobs import ENVIRONMENT, RANKS, SECONDS, bare, comity, run


def start(line, **how):
    return subprocess.Popen(line, env=ENVIRONMENT, stderr=subprocess.DEVNULL, **how)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class End(unittest.TestCase):
    def test_the_exit_code_is_the_programs(self):
        for code in 0, 3:
            self.assertEqual(run(comity(*bare("exit", code))).returncode, code)

    def test_a_rank_that_is_killed_ends_the_job_as_without_us(self):
        line = bare("kill", int(signal.SIGKILL))
        without, under = start(line), start(comity(*line))
        codes = without.wait(timeout=SECONDS), under.wait(timeout=SECONDS)
        self.assertNotEqual(codes[0], 0)
        self.assertEqual(codes[1], codes[0])

    def assert_ended_by(self, number, send):
        """Sends a waiting job a signal, and waits until its launcher and all of its ranks have ended."""
        with start(comity(*bare("wait")), stdout=subprocess.PIPE, text=True, start_new_session=True) as job:
            try:
                pids = [int(job.stdout.readline().split("=")[1]) for _ in range(RANKS)]
                send(job.pid, number)
                job.wait(timeout=SECONDS)
                deadline = time.monotonic() + SECONDS
                while any(map(is_alive, pids)) and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.assertEqual([pid for pid in pids if is_alive(pid)], [])
            finally:
                job.kill()

    def test_sigterm_to_the_command_ends_the_job(self):
        self.assert_ended_by(signal.SIGTERM, os.kill)

    def test_ctrl_c_ends_the_job(self):
        self.assert_ended_by(signal.SIGINT, os.killpg)


if __name__ == "__main__":
    unittest.main()
