# SPDX-License-Identifier: BSD-3-Clause
"""The report: all that the demo found, as one dictionary; demo.json is it, table.py prints it. Pure."""
import statistics

import ideal
import layouts
import utilisation
from runs import PHASES


def with_unit(times):
    return {phase + "_s": seconds for phase, seconds in times.items()}


def checks_failed(runs):
    return sorted({f"check {name} in {run.layout.mode}" for run in runs
                   for name, check in run.result["checks"].items() if not check["passed"]})


def checksums(runs):
    """Runs of equally many steps end with equal checksums, whatever their mode."""
    seen = {}
    for run in runs:
        sums = run.result["checksum"]
        seen.setdefault(run.steps, set()).add((sums["fields"], sums["cg"]))
    return {"equal": all(len(each) == 1 for each in seen.values()),
            "fields": sorted({fields for each in seen.values() for fields, _ in each}),
            "cg": sorted({cg for each in seen.values() for _, cg in each}),
            "by_steps": {str(steps): sorted(each) for steps, each in sorted(seen.items())}}


GOAL = 0.95  # of the ideal, for the modes that Comity lays out
GOAL_MODES = ("comity", "comity-callee")


def work_ratio(best):
    """L0's work over L1's, each in its own best layout. The configuration is meant to have between 1:2 and 2:1, where neither phase alone
    decides the speedup."""
    return best["l0"][1] / best["l1"][1]


def warnings(runs):
    """Each warning once, with the modes whose runs said it."""
    modes = {}
    for run in runs:
        for says in run.warnings:
            modes.setdefault(says, []).append(run.layout.mode)
    return [{"says": says, "modes": list(dict.fromkeys(each))} for says, each in modes.items()]


def mode_entry(name, runs, drawn, sizes, cores, mpi):
    times = ideal.phase_times(runs, sizes.steps)
    whole = ideal.total(times)
    counted = runs[0].steps - 1
    return {"mode": name, "total_s": whole, "speedup": None, "phases": with_unit(times),
            "checks_passed": not checks_failed(runs + [drawn]), "ideal_fraction": None,
            "remap_share": times["remap"] / whole, "quiesce_share": times["quiesce"] / whole,
            "utilisation": utilisation.per_phase(drawn, cores), "ranks": runs[0].result["ranks"],
            "wide_ranks": len({span["rank"] for span in drawn.spans if span["phase"] == "l1"}),
            "threads": runs[0].result["threads"], "launch": layouts.shown_line(mpi, runs[0].layout), "steps": counted,
            "scaled": counted < sizes.steps, "checksum": runs[0].result["checksum"],
            "first_step_s": statistics.median(sum(run.step_times(phase)[0] for phase in PHASES) for run in runs),
            "measured_s": [run.seconds_a_step() * counted for run in runs]}


def assemble(measured, drawn, static, serial, sizes, cores, mpi, machine, config, not_finished):
    """measured: {mode: runs}; drawn: {mode: run with a timeline}; static: {shape: runs}; serial: one run; not_finished:
    {mode: seconds that it was given}, which the others lack."""
    modes = [mode_entry(name, measured[name], drawn[name], sizes, cores, mpi) for name in layouts.MODES
             if name not in not_finished]
    best = ideal.ideal({shape: ideal.phase_times(runs, sizes.steps) for shape, runs in static.items()})
    ideal_s = ideal.ideal_total(best)
    mean_best = ideal.ideal({shape: ideal.phase_times(runs, sizes.steps, statistics.fmean)
                             for shape, runs in static.items()})
    under_s = modes[0]["total_s"]
    for mode in modes:
        mode["speedup"] = under_s / mode["total_s"]
        mode["ideal_fraction"] = ideal_s / mode["total_s"]
        mean_s = ideal.total(ideal.phase_times(measured[mode["mode"]], sizes.steps, statistics.fmean))
        mode["ideal_fraction_of_means"] = ideal.ideal_total(mean_best) / mean_s
        parts = ideal.parts_of_repeats(measured[mode["mode"]], best, static, sizes.steps)
        mode["ideal_fraction_range"] = [min(parts), max(parts)]
    serial_times = ideal.phase_times([serial], serial.steps - 1)
    fractions = ideal.fractions_of(serial_times)
    every_run = ([run for runs in list(measured.values()) + list(static.values()) for run in runs]
                 + list(drawn.values()) + [serial])
    for mode in modes:
        is_judged = mode["mode"] in GOAL_MODES
        mode["goal"] = GOAL if is_judged else None
        mode["met"] = mode["ideal_fraction"] >= GOAL if is_judged else None
    sums = checksums(every_run)
    failed = checks_failed(every_run)
    if not sums["equal"]:
        failed.append("checksums differ between runs of equally many steps")
    return {"ideal_speedup": under_s / ideal_s,
            "equation_1_speedup": ideal.modelled_speedup(fractions, modes[0]["threads"], cores),
            "modes": modes, "not_finished": [{"mode": name, "limit_s": limit_s} for name, limit_s in not_finished.items()],
            "checks_passed": not failed, "checks_failed": failed, "checksums": sums,
            "warnings": warnings(every_run),
            "ideal": {"total_s": ideal_s, "phases": with_unit({phase: seconds for phase, (_, seconds) in best.items()}),
                      "layouts": {phase: name for phase, (name, _) in best.items()}, "l0_over_l1": work_ratio(best)},
            "static_layouts": {shape: with_unit(ideal.phase_times(runs, sizes.steps))
                               for shape, runs in static.items()},
            "equation_1": {"fractions": fractions, "under_threads": modes[0]["threads"], "cores": cores},
            "mpi": mpi, "machine": machine, "config": str(config), "repeats": sizes.repeats,
            "steps": {"counted": sizes.steps, "over": sizes.over_steps}}
