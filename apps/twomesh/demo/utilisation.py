# SPDX-License-Identifier: BSD-3-Clause
"""u(t): how much of the cores a phase used, from the program's timeline. Pure."""
from runs import PHASES


def steps_of(spans):
    """The spans with their step: [(step, span)]. A rank's step begins with its main thread's L0."""
    marked = []
    for rank in sorted({span["rank"] for span in spans}):
        own = [span for span in spans if span["rank"] == rank]
        starts = sorted(span["start_s"] for span in own if span["thread"] == 0 and span["phase"] == "l0")
        for span in own:
            middle = 0.5 * (span["start_s"] + span["end_s"])
            marked.append((sum(1 for start in starts if start <= middle) - 1, span))
    return marked


def per_phase(run, cores):
    """{phase: u}, and "all": CPU seconds of all threads over cores times wall seconds; None where a phase took no time.
    The first step is left out. What spins counts as used: CPU clocks cannot tell."""
    counted = [span for step, span in steps_of(run.spans) if step >= 1]
    used = {phase: sum(span["cpu_s"] for span in counted if span["phase"] == phase) for phase in PHASES}
    wall = {phase: sum(run.step_times(phase)[1:]) for phase in PHASES}
    used["all"], wall["all"] = sum(used.values()), sum(wall.values())
    # Ranks that are late count in the phase they are in, but its end is stamped once: a phase may seem to use more than
    # there is, all of them together not.
    most = {phase: 1.0 for phase in PHASES} | {"all": float("inf")}
    return {phase: min(most[phase], used[phase] / (cores * wall[phase])) if wall[phase] > 1e-6 * wall["all"] else None
            for phase in used}
