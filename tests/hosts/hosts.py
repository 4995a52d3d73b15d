# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands through tools/emulated-hosts, or says loudly that it is impossible here. Who imports this first may import what tests of
jobs on one host share (`cooperative`, `open_mpi_5`)."""
import subprocess
import sys
import threading
import time
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "emulated-hosts"
sys.path.extend(str(TOOL.parents[1] / "tests" / part) for part in ("coop", "cli"))
LONGEST_S = 50  # below the watchdog of a test, so that what was said until then is shown
MOMENT_S = 2  # for who has said all and has only to end
MOST_HANGS = 6  # in a row: of jobs of which one in three hangs six do so once in seven hundred times
SKIPPED = 77


def require(*options):
    """Ends the test as skipped where hosts cannot be emulated with these options."""
    done = subprocess.run([TOOL, "check", *options], capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        print(f"NOT TESTED: {done.stderr.strip()}")
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{TOOL} check {options}: status {done.returncode}\n{done.stdout}{done.stderr}")


def may_hang(launcher):
    """Between hosts MPICH 4.0 may hang in MPI_Finalize, and only behind all that a job has to say."""
    return "mpich" in " ".join(launcher)


def is_end(launcher, last_line):
    """Whether a line says that only a hang can follow, as a function; last_line is that line, or such a function."""
    if not may_hang(launcher):
        return lambda line: False
    return last_line if callable(last_line) else lambda line: line == last_line


def run(command, *options, launcher=(), last_line=None, longest_s=LONGEST_S):
    """(status, output); status None where it did not end in time: longest_s or, of a launcher whose jobs may hang at their end, a moment
    after the last line."""
    is_last = is_end(launcher, last_line)
    words = [TOOL, "run", *options, "--", *command]
    lines = []
    said = threading.Event()

    def read(stream):
        for line in stream:
            lines.append(line)
            if is_last(line.rstrip("\n")):
                said.set()

    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as tool:
        reader = threading.Thread(target=read, args=(tool.stdout,))
        reader.start()
        status = end_of(tool, said, longest_s)
        if status is None:
            tool.terminate()
        reader.join()
    return status, "".join(lines)


def assert_ended(test, launcher, status, output, again=None):
    """Of a job that has said all that it had to say: it has ended well, or hangs where it may; of one that hangs by itself now and then one
    of a few more does end, which again() runs for their status."""
    statuses = [status]
    while may_hang(launcher) and again is not None and statuses[-1] is None and len(statuses) < MOST_HANGS:
        statuses.append(again())
    if again is None and may_hang(launcher) and status is None:
        return
    test.assertEqual(statuses[-1], 0, f"statuses of this job, None where it hung: {statuses}\n{output}")


def end_of(tool, said, longest_s):
    """Its status; None where it goes on for too long."""
    end_s = time.monotonic() + longest_s
    while time.monotonic() < end_s:
        if said.is_set():
            end_s = min(end_s, time.monotonic() + MOMENT_S)
            said.clear()
        try:
            return tool.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            pass
    return None


def run_script(script, *options):
    return run(["sh", "-euc", script], *options)


class Shell:
    """A shell on host1 of hosts that stay until close: one cluster for many small questions."""

    def __init__(self, *options):
        self._tool = subprocess.Popen([TOOL, "run", *options, "--", "sh"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def say(self, script):
        """(status, lines of output)"""
        self._tool.stdin.write(f"(\n{script}\n) </dev/null 2>&1; echo \"the end: $?\"\n")
        self._tool.stdin.flush()
        lines = []
        for line in self._tool.stdout:
            if line.startswith("the end: "):
                return int(line.split()[-1]), lines
            lines.append(line.rstrip("\n"))
        raise AssertionError("\n".join(["the hosts have gone:", *lines]))

    def close(self):
        """The tool's own status."""
        self._tool.stdin.close()
        self._tool.stdout.close()
        return self._tool.wait()
