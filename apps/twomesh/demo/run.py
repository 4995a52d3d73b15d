#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""make demo: runs twomesh in all its modes on this machine and shows which one used the cores best.

Ends with 0: every check of every run passed and the modes' checksums are equal (times never decide); 1: not so, or a
run was not possible. docs/demo.md explains every number."""
import argparse
import json
import math
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the source folder stays as it was

import experiment
import layouts
import machine
import picture
import plan
import report
import runs
import table

FOLDER = Path(__file__).resolve().parent


def arguments(words=None):
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build"),
                        help="build folder with bin/twomesh-<mpi> (default: build)")
    parser.add_argument("--mpi", choices=layouts.MPIS, default="openmpi", help="the MPI to run with (default: openmpi)")
    parser.add_argument("--seconds", type=float, default=10.0,
                        help="size of each mode, all its runs together (default: 10)")
    parser.add_argument("--repeats", type=int, default=plan.REPEATS,
                        help=f"runs of each mode (default: {plan.REPEATS})")
    parser.add_argument("--config", type=Path, default=FOLDER.parent / "demo.toml",
                        help="another configuration of twomesh")
    parser.add_argument("--output", type=Path, help="where demo.json and demo.svg go (default: BUILD/demo)")
    parser.add_argument("--quick", action="store_true",
                        help="tiny meshes, one run a mode: does it work? Its times mean nothing")
    options = parser.parse_args(words)
    if not math.isfinite(options.seconds) or options.seconds <= 0 or options.repeats < 1:
        parser.error("--seconds and --repeats must be above 0, and finite")
    if options.quick:
        options.seconds, options.repeats, options.config = 0.001, 1, FOLDER / "quick.toml"
    options.output = options.output or options.build / "demo"
    return options


def warn_if_busy(described):
    if described["busy_at_start"]:
        print(f"make demo: {table.busy(described)}", file=sys.stderr)


def require_this_machine(environment):
    names = machine.simulated_by(environment)
    if names:
        raise runs.DemoError(f"cannot measure on a simulated machine, which has no time: unset {' and '.join(names)}")


def require_all_cpus():
    why = machine.bound_to_less(os.sched_getaffinity(0), machine.reachable_cpus())
    if why:
        raise runs.DemoError(why)


def tell_settings(environment):
    names = layouts.settings_taken_away(environment)
    if names:
        print(f"make demo: it shows Comity's defaults; taken away from all runs: {', '.join(names)}", file=sys.stderr)


def run_all(options, cores):
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="twomesh-demo-") as folder:
        progress = experiment.Progress()
        program = runs.Program(options.build, options.mpi, options.config, folder)
        whole = experiment.Experiment(program, len(cores), progress)
        try:
            whole.run(options.seconds, options.repeats, plan.QUICK if options.quick else plan.FULL)
        finally:
            progress.done()
    return whole


def draw(found, whole, cores):
    shapes = {mode["mode"]: table.shape(mode) for mode in found["modes"]}
    used = {mode["mode"]: mode["utilisation"]["all"] for mode in found["modes"]}
    title = f"Who uses the cores when: twomesh on {table.counted(len(cores), 'core')}, {found['mpi']}"

    def with_steps(steps):
        panels = [picture.Panel(name, shapes[name], run.spans, used[name], cores, steps)
                  for name, run in whole.drawn.items()]
        subtitle = (f"The same {steps} steps in every mode, at one time scale. Height of the colour: that core's "
                    "utilisation.")
        return picture.picture(panels, title, subtitle, found["ideal"]["total_s"] * steps / found["steps"]["counted"])

    shortest = min(run.steps for run in whole.drawn.values()) - 1
    return picture.fitting(with_steps, min(plan.WINDOW_STEPS, shortest))


def write_files(options, found, whole, cores):
    files = [options.output / "demo.json", options.output / "demo.svg"]
    files[0].write_text(json.dumps(found, indent=2) + "\n")
    files[1].write_text(draw(found, whole, cores))
    return files


def main():
    options = arguments()
    cores = machine.allowed_cores()
    described = machine.describe(cores)
    try:
        require_this_machine(os.environ)
        require_all_cpus()
        warn_if_busy(described)
        tell_settings(os.environ)
        whole = run_all(options, cores)
        found = report.assemble(whole.measured, whole.drawn, whole.static, whole.serial, whole.sizes, len(cores),
                                options.mpi, described, options.config, whole.not_finished)
        files = write_files(options, found, whole, cores)
    except runs.DemoError as error:
        print(f"make demo: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"make demo: cannot use {error.filename}: {error.strerror}; free it, or name another folder with "
              "--output", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make demo: interrupted; nothing was written", file=sys.stderr)
        return 1
    print(table.text(found))
    print(table.last_line(found, files))
    return 0 if found["checks_passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
