# SPDX-License-Identifier: BSD-3-Clause
"""The command on a terminal of its own, which it controls as it does a user's."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from running import COMMAND, KEPT

DEADLINE_S = 50
LINES, COLUMNS = 30, 100


class Terminal:
    def __init__(self, *words, **variables):
        self.ours, self.its = pty.openpty()
        fcntl.ioctl(self.its, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.modes_before = self.modes()
        self.text = ""
        self.code = None
        self.process = os.fork()
        if self.process == 0:
            self.become([COMMAND, *words], {**KEPT, "TERM": "xterm", **variables})

    def become(self, words, environment):
        try:
            os.setsid()
            fcntl.ioctl(self.its, termios.TIOCSCTTY, 0)
            for number in range(3):
                os.dup2(self.its, number)
            os.execve(words[0], words, environment)
        finally:
            os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.code is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.ours)
        os.close(self.its)

    def modes(self):
        return termios.tcgetattr(self.its)

    def press(self, keys):
        os.write(self.ours, keys)

    def read(self):
        """What is there now, at most a moment later."""
        if select.select([self.ours], [], [], 0.05)[0]:
            self.text += os.read(self.ours, 65536).decode()

    def until(self, reached, what):
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            self.read()
            found = reached()
            if found:
                return found
        raise AssertionError(f"no {what} in {self.text[-3000:]!r}")

    def read_until(self, part, start=0):
        self.until(lambda: part in self.text[start:], part)

    def wait_until_stopped(self):
        self.until(lambda: os.waitpid(self.process, os.WUNTRACED | os.WNOHANG)[0] == self.process, "stop")

    def wait(self):
        """The exit code; -N where a signal ended it."""
        status = self.until(lambda: self.ended_with(), "end")[0]
        self.code = os.waitstatus_to_exitcode(status)
        while select.select([self.ours], [], [], 0)[0]:
            self.read()
        return self.code

    def ended_with(self):
        process, status = os.waitpid(self.process, os.WNOHANG)
        return (status,) if process == self.process else None
