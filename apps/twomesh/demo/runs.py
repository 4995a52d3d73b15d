# SPDX-License-Identifier: BSD-3-Clause
"""Runs: launching twomesh once and reading what it measured. Not: which runs, how long (plan.py)."""
import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import layouts

LONGEST_RUN_S = 600
# As the library writes it; who said it is left away.
WARNING = re.compile(r"^(comity: warning: .*?)(?: \((?:rank \d+, )?pid \d+\))?$", re.MULTILINE)
WORKING_PHASES = ("l0", "l1", "remap")
PHASES = (*WORKING_PHASES, "quiesce")


class DemoError(Exception):
    """What failed, why, and what to do: shown to the user as it is."""


class TooLong(DemoError):
    """A run that was ended because it took longer than it may."""


@dataclass
class Run:
    layout: layouts.Layout
    steps: int
    result: dict                 # the program's --json
    spans: list = field(default_factory=list)  # the program's --timeline, if asked for
    warnings: list = field(default_factory=list)  # Comity's, each once, whichever ranks said it

    def step_times(self, phase):
        return self.result["step_phases"][phase + "_s"]

    def seconds_a_step(self):
        """Without the first step, which also allocates and sets up."""
        return sum(sum(self.step_times(phase)[1:]) for phase in PHASES) / max(1, self.steps - 1)


class Program:
    """twomesh as built for one MPI, with one configuration; its files go to `folder`."""

    def __init__(self, build, mpi, config, folder):
        self.mpi = mpi
        self.config = Path(config)
        self.folder = Path(folder)
        self.binary = Path(build) / "bin" / f"twomesh-{mpi}"
        self.launcher = shutil.which("mpirun." + mpi)
        self._require()

    def _require(self):
        if not self.launcher:
            others = [mpi for mpi in layouts.MPIS if shutil.which("mpirun." + mpi)]
            instead = f"; {' and '.join(others)} is here: make demo MPI={others[0]}" if others else ""
            package = {"openmpi": "openmpi-bin libopenmpi-dev", "mpich": "mpich libmpich-dev"}[self.mpi]
            raise DemoError(f"cannot launch with {self.mpi}: there is no mpirun.{self.mpi} on the PATH; "
                            f"install it (Debian: apt-get install {package}){instead}")
        if not os.access(self.binary, os.X_OK):
            raise DemoError(f"cannot run {self.binary}: it is not there; build it first (make demo builds, then runs)")
        if not self.config.is_file():
            raise DemoError(f"cannot read the configuration {self.config}: no such file; "
                            "leave --config away for the demo's own")

    def run(self, layout, steps, timeline=False, longest_s=LONGEST_RUN_S):
        """One run; raises DemoError if it breaks off, TooLong after longest_s. Checks that fail are a result, not an error."""
        result_file, spans_file = self.folder / "run.json", self.folder / "run-timeline.json"
        for file in (result_file, spans_file):
            file.unlink(missing_ok=True)
        words = layouts.launch_words(self.mpi, self.launcher, layout) + [str(self.binary)]
        words += layouts.program_words(layout, steps) + ["--config", str(self.config), "--json", str(result_file)]
        if timeline:
            words += ["--timeline", str(spans_file)]
        environment = layouts.environment(os.environ, layout, os.getuid() == 0)
        status, output = launch(words, environment, longest_s)
        if status not in (0, 1) or not result_file.is_file():
            raise DemoError(f"the run of {layout.mode} ({layout.shape}) with {self.mpi} ended with status {status}: "
                            f"{last_lines(output)}\nRun it alone to see more: {' '.join(words)}")
        spans = json.loads(spans_file.read_text()) if timeline else []
        return Run(layout, steps, json.loads(result_file.read_text()), spans, warnings_in(output))


def launch(words, environment, longest_s):
    """Status and output of a command; a run that hangs is ended with all it started."""
    with subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=longest_s)
        except subprocess.TimeoutExpired:
            end_group(process)
            raise TooLong(f"a run did not end within {longest_s:g} s and was ended: {' '.join(words)}") from None
        except BaseException:  # the user's Ctrl-C does not reach the run's own session
            end_group(process)
            raise
    return process.returncode, output


def end_group(process):
    """The launcher first: it ends its ranks itself, which may have sessions of their own."""
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def warnings_in(output):
    return list(dict.fromkeys(WARNING.findall(output)))


def last_lines(output, count=8):
    lines = [line for line in output.splitlines() if line.strip()]
    return "\n  ".join([""] + lines[-count:]) if lines else "it said nothing"
