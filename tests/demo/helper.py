# SPDX-License-Identifier: BSD-3-Clause
"""Runs and spans made by hand, for the tests of the demo."""
from layouts import Layout
from runs import PHASES, Run


def make_run(mode, ranks=1, threads=2, fields="f", passed=True, spans=(), **times):
    """A run whose steps took times[phase]; a phase that is not given took none."""
    steps = max(len(each) for each in times.values())
    result = {"ranks": ranks, "threads": threads, "checks": {"residual": {"passed": passed}},
              "checksum": {"fields": fields, "cg": "c"},
              "step_phases": {phase + "_s": times.get(phase, [0.0] * steps) for phase in PHASES}}
    return Run(Layout(mode, ranks, threads, "none"), steps, result, list(spans))


def span(phase, start_s, end_s, cpu=0, share=1.0, rank=0, thread=0):
    cpus = cpu if isinstance(cpu, list) else [cpu]
    return {"rank": rank, "thread": thread, "phase": phase, "start_s": start_s, "end_s": end_s,
            "cpu_s": share * (end_s - start_s), "cpus": cpus}


def wide_steps(count, l0_s=0.1, l1_s=0.1):
    """One rank on two cores: alone in L0, with a second thread in L1."""
    spans = []
    for step in range(count):
        start = step * (l0_s + l1_s)
        spans += [span("l0", start, start + l0_s), span("l1", start + l0_s, start + l0_s + l1_s),
                  span("l1", start + l0_s, start + l0_s + l1_s, cpu=1, thread=1)]
    return spans
