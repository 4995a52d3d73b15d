#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs that were built elsewhere for libquo 1.4 with another libquo, and prints how each ended.

All programs of the folder that need a libquo are reloaded as they are, by LD_LIBRARY_PATH, and run by the launcher of their MPI at
each count of ranks. A number of the table is the launcher's exit code; "over": it was ended after the time limit; "other": the
program would take a libquo of another folder, as one with an RPATH does.
Ends with 0: all of them ended with 0; 1: one did not, or took another libquo; 2: there is nothing to run."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
OF_LIBQUO = re.compile(r"^\s*(libquo\S* => .+?)(?: \(0x\w+\))?$", re.MULTILINE)
WORDS = {"openmpi": ["--oversubscribe", "--bind-to", "none"], "mpich": []}  # of their launchers
PATIENCE_S = 10  # of a launcher that is told to end


def arguments():
    parser = argparse.ArgumentParser(prog="programs.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the programs, all of them for the same MPI; of libtool's the folder .libs")
    parser.add_argument("--mpi", choices=WORDS, required=True, help="that they were built for")
    parser.add_argument("--libquo", type=Path, metavar="FOLDER", help="of libquo.so.8 (default: build/quo-MPI/lib of this tree)")
    parser.add_argument("--launcher", help="(default: mpirun.MPI)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8], metavar="COUNT", help="(default: 2 4 8)")
    parser.add_argument("--limit-s", type=float, default=120, metavar="SECONDS", help="for each run (default: 120)")
    parser.add_argument("--verbose", action="store_true", help="show what the programs write")
    options = parser.parse_args()
    options.libquo = (options.libquo or TREE / "build" / f"quo-{options.mpi}" / "lib").absolute()
    options.launcher = options.launcher or f"mpirun.{options.mpi}"
    return options


def environment_of(options):
    environment = dict(os.environ)
    before = environment.get("LD_LIBRARY_PATH")
    environment["LD_LIBRARY_PATH"] = f"{options.libquo}:{before}" if before else str(options.libquo)
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return environment


def is_executable(path):
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def libquos_of(program, environment):
    """What it would load of it, as ldd has it: "libquo.so.8 => /opt/quo/lib/libquo.so.8"."""
    said = subprocess.run(["ldd", program], env=environment, stdout=subprocess.PIPE, text=True, check=False).stdout
    return OF_LIBQUO.findall(said)


def run(program, ranks, options, environment):
    """What stands in the table. Programs may leave files: they run in a folder that goes again."""
    shown = None if options.verbose else subprocess.DEVNULL
    words = [options.launcher, "-n", str(ranks), *WORDS[options.mpi], str(program)]
    with tempfile.TemporaryDirectory() as folder:
        launcher = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=shown, stderr=shown)
        try:
            return str(launcher.wait(options.limit_s))
        except subprocess.TimeoutExpired:
            end(launcher)
            return "over"


def end(launcher):
    """It ends its ranks where it is asked to, and not where it is killed."""
    launcher.terminate()
    try:
        launcher.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        launcher.kill()
        launcher.wait()


def row(program, libquos, options, environment):
    others = [found for found in libquos if Path(found.split(" => ")[1]).parent != options.libquo]
    if others:
        print(f"{program.name} would not take the libquo of {options.libquo}: {', '.join(others)}", file=sys.stderr)
        return ["other" for _ in options.ranks]
    return [run(program, ranks, options, environment) for ranks in options.ranks]


def main():
    options = arguments()
    environment = environment_of(options)
    executables = sorted(path.absolute() for path in options.folder.glob("*") if is_executable(path))
    programs = {path: libquos for path in executables if (libquos := libquos_of(path, environment))}
    if not programs:
        print(f"programs.py: no program in {options.folder} needs a libquo", file=sys.stderr)
        return 2
    width = max(len("program"), *(len(program.name) for program in programs))
    print(f"{'program':{width}}" + "".join(f" {ranks:>5}" for ranks in options.ranks))
    all_well = True
    for program, libquos in programs.items():
        codes = row(program, libquos, options, environment)
        print(f"{program.name:{width}}" + "".join(f" {code:>5}" for code in codes), flush=True)
        all_well = all_well and all(code == "0" for code in codes)
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
