# SPDX-License-Identifier: BSD-3-Clause
"""The tables that the demo prints, from the report's dictionary (report.py). Pure text."""
BAR_WIDTH = 10
PHASE_TITLES = (("l0", "L0"), ("l1", "L1"), ("remap", "remap"), ("quiesce", "quiesce"))


def columns(rows):
    """Rows of words as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        words = [row[0].ljust(widths[0])] + [word.rjust(width) for word, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(words).rstrip())
    return lines


def counted(number, word):
    return f"{number} {word}" + ("" if number == 1 else "s")


def shape(mode):
    wide = f"{counted(mode['wide_ranks'], 'rank')} x {counted(mode['threads'], 'thread')}"
    return f"L0: {counted(mode['ranks'], 'rank')}, L1: {wide}"


def percent(part):
    return f"{100 * part:.1f} %"


def bar(part):
    """|######....|  60 %"""
    if part is None:
        return "-".center(BAR_WIDTH + 8)
    full = round(BAR_WIDTH * part)
    return "|" + "#" * full + "." * (BAR_WIDTH - full) + f"| {round(100 * part):3d} %"


def time_rows(report):
    rows = [["mode", "L0 ranks", "L1 ranks x threads", "L0 s", "L1 s", "remap s", "quiesce s", "total s", "speedup",
             "of ideal", "remap", "quiesce", "checks"]]
    for mode in report["modes"]:
        times = [f"{mode['phases'][phase + '_s']:.3f}" for phase, _ in PHASE_TITLES]
        layout = [str(mode["ranks"]), f"{mode['wide_ranks']} x {mode['threads']}"]
        rows.append([mode["mode"] + (" *" if mode["scaled"] else "")] + layout + times
                    + [f"{mode['total_s']:.3f}", f"{mode['speedup']:.2f}", f"{mode['ideal_fraction']:.2f}",
                       percent(mode["remap_share"]), percent(mode["quiesce_share"]),
                       "passed" if mode["checks_passed"] else "FAILED"])
    for mode in report["not_finished"]:
        rows.append([mode["mode"]] + ["-"] * (len(rows[0]) - 2) + ["not finished"])
    ideal = report["ideal"]
    times = [f"{ideal['phases'][phase + '_s']:.3f}" for phase, _ in PHASE_TITLES[:3]] + ["-"]
    best = report["ideal"]["layouts"]
    rows.append(["ideal", best["l0"].split("x")[0], best["l1"].replace("x", " x ")] + times
                + [f"{ideal['total_s']:.3f}", f"{report['ideal_speedup']:.2f}", "1.00",
                   percent(ideal["phases"]["remap_s"] / ideal["total_s"]), "-", ""])
    return rows


def utilisation_rows(report):
    rows = [["u(t)"] + [title.center(BAR_WIDTH + 8) for _, title in PHASE_TITLES] + ["all".center(BAR_WIDTH + 8)]]
    for mode in report["modes"]:
        used = mode["utilisation"]
        rows.append([mode["mode"]] + [bar(used[phase]) for phase, _ in PHASE_TITLES] + [bar(used["all"])])
    return rows


def notes(report):
    best = report["ideal"]["layouts"]
    steps = report["steps"]
    lines = [f"{steps['counted']} steps a run, median of {report['repeats']} interleaved runs; the first step of a run "
             "sets up and is left out."]
    for mode in report["modes"]:
        if mode["scaled"]:
            lines.append(f"* {mode['mode']} ran {mode['steps']} of {steps['counted']} steps, "
                         f"{counted(len(mode['measured_s']), 'time')}; its times are scaled.")
    for mode in report["not_finished"]:
        lines.append(f"{mode['mode']} did not end its trial within {mode['limit_s']:g} s and was left out.")
    lines += [f"ideal: L0 in {best['l0']}, L1 in {best['l1']}, remap in {best['remap']} (ranks x threads, static, "
              "bound, run by themselves).",
              f"Equation (1) of the paper models {report['equation_1_speedup']:.2f} for the ideal's speedup; "
              f"measured: {report['ideal_speedup']:.2f}.",
              "u: CPU seconds of all threads / (cores x seconds); a rank that spins in MPI counts as busy.",
              *(f"{warning['says']} (in {', '.join(warning['modes'])})" for warning in report["warnings"]),
              *([busy(report["machine"])] if report["machine"]["busy_at_start"] else []),
              work(report["ideal"]["l0_over_l1"]), goals(report), verdict(report)]
    return lines


def busy(machine):
    return (f"Other programs ran at the start (load {machine['load_at_start']:.1f} on {counted(machine['cores'], 'core')}): the times "
            "show that, the checks do not.")


def work(l0_over_l1):
    outside = "" if 0.5 <= l0_over_l1 <= 2 else "; a demo has between 1:2 and 2:1, for else one phase alone decides"
    return f"Work of L0 to that of L1 in the ideal: {l0_over_l1:.2f} : 1{outside}."


def spread(mode):
    """Beside the one number of a mode what single runs gave."""
    least, most = mode["ideal_fraction_range"]
    return f"{least:.2f} to {most:.2f} in {counted(len(mode['measured_s']), 'run')}"


def goals(report):
    judged = [f"{mode['mode']} {mode['ideal_fraction']:.2f} {'met' if mode['met'] else 'MISSED'} ({spread(mode)})"
              for mode in report["modes"] if mode["goal"] is not None]
    goal = next(mode["goal"] for mode in report["modes"] if mode["goal"] is not None)
    return f"Goal: {goal:.2f} of the ideal. " + ", ".join(judged) + "."


def verdict(report):
    checks = "all passed" if report["checks_passed"] else "FAILED: " + ", ".join(report["checks_failed"])
    equal = "equal" if report["checksums"]["equal"] else "NOT equal"
    sums = report["modes"][0]["checksum"]
    return f"Checks: {checks}. Checksums: {equal} over all modes (fields {sums['fields']}, CG {sums['cg']})."


def text(report):
    machine = report["machine"]
    title = f"twomesh on {counted(machine['cores'], 'core')} with {report['mpi']} ({machine['processor']})"
    return "\n".join(["", title, ""] + columns(time_rows(report)) + [""] + columns(utilisation_rows(report)) + [""]
                     + notes(report) + [""])


def last_line(report, files):
    """One line that a person understands."""
    by_name = {mode["mode"]: mode for mode in report["modes"]}
    comity = by_name["comity"]
    failed = f"FAILED: {', '.join(report['checks_failed'])}; " if report["checks_failed"] else ""
    return (f"make demo: {failed}comity {comity['speedup']:.2f} times as fast as under, "
            f"{comity['ideal_fraction']:.2f} of the ideal; table above, {', '.join(str(file) for file in files)}")
