# SPDX-License-Identifier: BSD-3-Clause
"""Per core: which phase used it when, from the spans of threads. Pure; picture.py draws it.

A thread in a phase used its core for cpu_s of the span's wall time: its share. Threads that were on one core at once
are stacked; shares that add up to more than the core are scaled to it. A thread that changed its core during the span
counts by half on each."""
from utilisation import steps_of

SMALLEST_SHARE = 0.01


def window(spans, first, count):
    """The spans of `count` steps from step `first`, in seconds since that window's begin; and its end."""
    chosen = [span for step, span in steps_of(spans) if first <= step < first + count]
    if not chosen:
        return [], 0.0
    begin = min(span["start_s"] for span in chosen)
    moved = [dict(span, start_s=span["start_s"] - begin, end_s=span["end_s"] - begin) for span in chosen]
    return moved, max(span["end_s"] for span in moved)


def step_ends(spans):
    """When the last rank ended each step."""
    ends = {}
    for step, span in steps_of(spans):
        ends[step] = max(ends.get(step, 0.0), span["end_s"])
    return [ends[step] for step in sorted(ends)]


def claims(spans, core_of_cpu):
    """{core: [(start, end, phase, share)]}"""
    found = {}
    for span in spans:
        length = span["end_s"] - span["start_s"]
        share = min(1.0, span["cpu_s"] / length) if length > 0 else 0.0
        cpus = [cpu for cpu in span["cpus"] if cpu in core_of_cpu]
        if share < SMALLEST_SHARE or not cpus:
            continue
        for cpu in cpus:
            claim = (span["start_s"], span["end_s"], span["phase"], share / len(cpus))
            found.setdefault(core_of_cpu[cpu], []).append(claim)
    return found


def stacked(claimed):
    """Pieces (start, end, phase, bottom, top) of one core, 0 <= bottom < top <= 1, ascending in time."""
    times = sorted({time for start, end, _, _ in claimed for time in (start, end)})
    pieces = []
    for begin, until in zip(times, times[1:]):
        shares = {}
        for start, end, phase, share in claimed:
            if start <= begin and until <= end:
                shares[phase] = shares.get(phase, 0.0) + share
        scale = 1.0 / max(1.0, sum(shares.values()))
        bottom = 0.0
        for phase in sorted(shares):
            top = bottom + shares[phase] * scale
            pieces.append((begin, until, phase, bottom, top))
            bottom = top
    return pieces


def merged(pieces):
    """Neighbours of one phase and (nearly) one height are one piece."""
    latest = {}
    result = []
    for piece in pieces:
        begin, until, phase, bottom, top = piece
        before = latest.get(phase)
        if before is not None:
            known = result[before]
            if known[1] == begin and abs(known[3] - bottom) < SMALLEST_SHARE and abs(known[4] - top) < SMALLEST_SHARE:
                result[before] = (known[0], until, phase, known[3], known[4])
                continue
        latest[phase] = len(result)
        result.append(piece)
    return result


def rows(spans, cores):
    """One list of pieces a core. cores: [[cpu, ...], ...]"""
    core_of_cpu = {cpu: place for place, core in enumerate(cores) for cpu in core}
    claimed = claims(spans, core_of_cpu)
    return [merged(stacked(claimed.get(place, []))) for place in range(len(cores))]
