# SPDX-License-Identifier: BSD-3-Clause
"""The experiment: all runs of a demo in order, with a line of progress for each."""
import sys
import time

import layouts
import plan
import runs


class Progress:
    """Lines on standard error; on a terminal one line that is written over."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.is_terminal = stream.isatty()
        self.started = time.monotonic()

    def say(self, words):
        words = f"[{time.monotonic() - self.started:4.0f} s] {words}"
        self.stream.write(f"\r\033[K{words}" if self.is_terminal else words + "\n")
        self.stream.flush()

    def done(self):
        if self.is_terminal:
            self.stream.write("\r\033[K")


class Experiment:
    """Trials, then measured runs in interleaved order, then runs with a timeline, of which the most typical of each mode is kept."""

    def __init__(self, program, core_count, progress):
        self.program, self.cores, self.progress = program, core_count, progress
        self.measured = {}   # {mode: [Run]}
        self.static = {}     # {shape: [Run]}, the ideal's candidates
        self.drawn = {}      # {mode: Run with spans}
        self.serial = None
        self.not_finished = {}  # {mode: seconds that its trial was given}

    def run(self, seconds, repeats, extent=plan.FULL):
        trials = self.try_static(extent.trial)
        under = plan.best_under(trials, self.cores)
        self.modes = layouts.mode_layouts(under, self.cores)
        over_step_s = self.try_over(extent.trial)
        self.serial = self.one(layouts.serial_layout(), extent.trial, "serial run, for equation (1)")
        self.sizes = plan.sizes(seconds, repeats, trials[under].seconds_a_step(), over_step_s, extent.fewest)
        self.measure([layout for layout in plan.ideal_candidates(trials, runs.WORKING_PHASES) if layout != under],
                     timeline=extent.picture == 0)
        self.static[under.shape] = self.measured["under"]
        self.draw(extent.picture)

    def try_static(self, steps):
        return {layout: self.one(layout, steps, f"trial of {layout.shape} (ranks x threads)")
                for layout in layouts.static_layouts(self.cores)}

    def try_over(self, steps):
        """Seconds of a step; None if it did not end in time: then the demo goes on without that mode."""
        try:
            return self.one(self.modes["over"], steps, "trial of over", longest_s=plan.OVER_TRIAL_S).seconds_a_step()
        except runs.TooLong:
            del self.modes["over"]
            self.not_finished["over"] = plan.OVER_TRIAL_S
            return None

    def draw(self, steps):
        for name, layout in self.modes.items():
            self.drawn[name] = self.typical(name, layout, steps) if steps else self.measured[name][0]

    def typical(self, name, layout, steps):
        """A picture beside a table of medians shows a run like them."""
        tries = 1 if name == "over" else plan.TIMELINES
        drawn = [self.one(layout, steps, f"{name}, with a timeline, {place + 1} of {tries}", timeline=True)
                 for place in range(tries)]
        return plan.nearest_to_median(drawn, self.measured[name])

    def measure(self, others, timeline):
        tasks = [(name, layout, self.measured) for name, layout in self.modes.items()]
        tasks += [(layout.shape, layout, self.static) for layout in others]
        for repeat in range(self.sizes.repeats):
            for name, layout, where in plan.order(tasks, repeat):
                counted, repeats = self.size_of(name)
                if repeat >= repeats:
                    continue
                what = f"{name}, run {repeat + 1} of {repeats} ({counted} steps)"
                where.setdefault(name, []).append(self.one(layout, counted + 1, what, timeline))

    def size_of(self, name):
        sizes = self.sizes
        return (sizes.over_steps, sizes.over_repeats) if name == "over" else (sizes.steps, sizes.repeats)

    def one(self, layout, steps, what, timeline=False, longest_s=runs.LONGEST_RUN_S):
        self.progress.say(what)
        return self.program.run(layout, steps, timeline, longest_s)
