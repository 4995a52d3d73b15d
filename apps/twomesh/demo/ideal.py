# SPDX-License-Identifier: BSD-3-Clause
"""What is possible: medians of repeats, the measured ideal, and the paper's equation (1). Pure arithmetic."""
import statistics

from runs import PHASES, WORKING_PHASES


def phase_times(runs, steps, middle=statistics.median):
    """{phase: seconds} of `steps` counted steps. Of each step and phase the middle of the repeats, summed over the
    steps: all layouts run the same steps, and a disturbance of one repeat counts in none. Fewer steps are scaled up."""
    counted = min(run.steps for run in runs) - 1
    times = {}
    for phase in PHASES:
        rows = zip(*(run.step_times(phase)[1:counted + 1] for run in runs))
        times[phase] = sum(middle(row) for row in rows) * steps / counted
    return times


def total(times):
    return sum(times[phase] for phase in PHASES)


def ideal(static_times):
    """{phase: (layout's name, seconds)}: each phase in its own best layout, in which nobody quiesces, for nobody changes
    layout. static_times: {name: phase_times}."""
    best = {}
    for phase in WORKING_PHASES:
        name = min(static_times, key=lambda candidate: static_times[candidate][phase])
        best[phase] = (name, static_times[name][phase])
    return best


def ideal_total(best):
    return sum(seconds for _, seconds in best.values())


def parts_of_repeats(runs, best, static_runs, steps):
    """Which part of the ideal each repeat came to: of the same layouts' runs of that repeat, between which it ran.
    static_runs: {name: runs}, as many of each as the repeats at least."""
    repeats = {phase: [phase_times([run], steps)[phase] for run in static_runs[name]] for phase, (name, _) in best.items()}
    return [sum(repeats[phase][number] for phase in best) / total(phase_times([run], steps))
            for number, run in enumerate(runs)]


def equation_1(fractions, factors, cores):
    """S = 1 / sum(p_i / s_i) with s_i = n u_i: the modelled speedup over a serial run."""
    return 1.0 / sum(fraction / (cores * factors[phase]) for phase, fraction in fractions.items())


def fractions_of(times):
    """p_i: each phase's part of a serial run. Quiescence is no work and is left out."""
    working = {phase: times[phase] for phase in WORKING_PHASES}
    whole = sum(working.values())
    return {phase: seconds / whole for phase, seconds in working.items()}


def modelled_speedup(fractions, under_threads, cores):
    """Modelled ideal over modelled `under`, where L1 has a thread on each core and the other phases 1 of t_max."""
    under = {phase: 1.0 if phase == "l1" else 1.0 / under_threads for phase in fractions}
    full = {phase: 1.0 for phase in fractions}
    return equation_1(fractions, full, cores) / equation_1(fractions, under, cores)
