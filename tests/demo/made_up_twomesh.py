# SPDX-License-Identifier: BSD-3-Clause
"""A launcher and its twomesh in one: writes what a run writes, computes nothing.   made_up_twomesh.py -n RANKS ...

The ranks of Comity's modes warn, each for itself. MADE_UP_LOG gets a line a run: its mode, its steps, and the variables that
it sees. A check fails in the mode or layout (ranks x threads) that MADE_UP_FAILS names; the mode of MADE_UP_SLOW takes five
times as long, that of MADE_UP_HANGS for ever."""
import json
import os
import signal
import sys

from helper import make_run, wide_steps

words = sys.argv[1:]
steps, ranks, mode, threads = (words[words.index(name) + 1] for name in ("--steps", "-n", "--mode", "--threads"))
if os.environ.get("MADE_UP_HANGS") == mode:
    signal.pause()
passed = os.environ.get("MADE_UP_FAILS") not in (mode, f"{ranks}x{threads}")
phase_s = 0.5 if os.environ.get("MADE_UP_SLOW") == mode else 0.1
made = make_run(mode, int(ranks), int(threads) or 2, passed=passed, l0=[phase_s] * int(steps), l1=[phase_s] * int(steps))
for option, content in (("--json", made.result), ("--timeline", wide_steps(int(steps), phase_s, phase_s))):
    if option in words:
        with open(words[words.index(option) + 1], "w", encoding="utf-8") as file:
            json.dump(content, file)
if mode.startswith("comity"):
    for rank in range(2):
        print(f"comity: warning: [openmp] made up (really) (rank {rank}, pid {os.getpid() + rank})", file=sys.stderr)
    print("comity: info: [node] of no interest (rank 0, pid 1)", file=sys.stderr)
with open(os.environ["MADE_UP_LOG"], "a", encoding="utf-8") as log:
    print(mode, steps, f"{ranks}x{threads}", *sorted(os.environ), file=log)
sys.exit(0 if passed else 1)
