# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands through tools/emulated-hosts, or says loudly that it is impossible here."""
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "emulated-hosts"
LONGEST_S = 50  # below the watchdog of a test, so that what was said until then is shown
SKIPPED = 77


def require(*options):
    """Ends the test as skipped where hosts cannot be emulated with these options."""
    done = subprocess.run([TOOL, "check", *options], capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        print(f"NOT TESTED: {done.stderr.strip()}")
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{TOOL} check {options}: status {done.returncode}\n{done.stdout}{done.stderr}")


def run(command, *options):
    """(status, output); status None where it did not end in time."""
    words = [TOOL, "run", *options, "--", *command]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as tool:
        try:
            output, _ = tool.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            tool.terminate()
            output, _ = tool.communicate()
            return None, output
    return tool.returncode, output


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
