# SPDX-License-Identifier: BSD-3-Clause
"""Plan: which runs, how many steps, in which order. A short trial of every layout sizes the real runs; these repeat in
interleaved order, so that a slow minute of the machine does not fall on one mode alone."""
import statistics
from dataclasses import dataclass

import layouts

REPEATS = 9
WINDOW_STEPS = 4      # that the picture shows
TIMELINES = 5         # runs of a mode with a timeline, of which one is drawn
OVER_TRIAL_S = 60     # for the trial of `over`, a step of which may take minutes on a wide node
NEAR_BEST = 1.25      # static layouts that lose by more in a phase are no candidates for the ideal


@dataclass(frozen=True)
class Extent:
    """Steps of runs. The first step of each is left out everywhere, as it also sets up."""
    trial: int = 3
    fewest: int = 3       # counted steps of a measured run
    picture: int = 5      # of a mode's run with a timeline, for u(t) and the picture; 0: its measured runs have one


FULL = Extent()
QUICK = Extent(trial=2, fewest=2, picture=0)


@dataclass
class Sizes:
    steps: int            # counted steps of a run
    repeats: int
    over_steps: int       # the same of `over`
    over_repeats: int


def best_under(trials, cores):
    """The fastest of the few-wide-ranks layouts. trials: {Layout: Run}."""
    return min(layouts.under_candidates(cores), key=lambda layout: trials[layout].seconds_a_step())


def ideal_candidates(trials, phases):
    """Static layouts that come near the best in some phase; the others cannot be anyone's best."""
    chosen = []
    for phase in phases:
        times = {layout: sum(run.step_times(phase)[1:]) for layout, run in trials.items()}
        chosen += [layout for layout, time in times.items() if time <= NEAR_BEST * min(times.values())]
    return [layout for layout in trials if layout in chosen]


def sizes(seconds, repeats, under_step_s, over_step_s, fewest=FULL.fewest):
    """All modes run the same steps, sized on `under`; `over` may be much slower, then it runs fewer, less often. over_step_s:
    None where its trial did not end; then it does not run."""
    def steps_of(step_s):
        return max(fewest, round(seconds / repeats / step_s))
    steps = steps_of(under_step_s)
    if over_step_s is None:
        return Sizes(steps, repeats, 0, 0)
    over_steps = min(steps, steps_of(over_step_s))
    over_repeats = round(seconds / (over_step_s * over_steps))
    return Sizes(steps, repeats, over_steps, max(1, min(repeats, over_repeats)))


def nearest_to_median(runs, measured):
    """Of `runs` the one whose steps take as long as those of the median of `measured`."""
    median = statistics.median(run.seconds_a_step() for run in measured)
    return min(runs, key=lambda run: abs(run.seconds_a_step() - median))


def order(names, repeat):
    """Another one goes first in each repeat."""
    shift = repeat % len(names)
    return names[shift:] + names[:shift]
