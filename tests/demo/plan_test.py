# SPDX-License-Identifier: BSD-3-Clause
import unittest

import layouts
import plan
from helper import make_run


class Sizes(unittest.TestCase):
    def test_all_repeats_of_a_mode_together_take_the_seconds_asked_for(self):
        self.assertEqual(plan.sizes(10.0, 5, 0.1, 0.1).steps, 20)

    def test_over_runs_fewer_steps_where_it_is_slower(self):
        self.assertEqual(plan.sizes(10.0, 5, 0.1, 0.4).over_steps, 5)

    def test_over_never_runs_more_steps_than_the_others(self):
        self.assertEqual(plan.sizes(10.0, 5, 0.1, 0.01).over_steps, 20)

    def test_over_repeats_less_where_its_fewest_steps_take_too_long(self):
        slow = plan.sizes(10.0, 5, 0.1, 1.6)
        self.assertEqual((slow.over_steps, slow.over_repeats), (3, 2))
        self.assertEqual(plan.sizes(10.0, 5, 0.1, 100.0).over_repeats, 1)

    def test_an_over_that_did_not_end_runs_no_more(self):
        sizes = plan.sizes(10.0, 5, 0.1, None)
        self.assertEqual((sizes.steps, sizes.over_steps, sizes.over_repeats), (20, 0, 0))

    def test_the_run_that_is_drawn_is_the_most_typical_and_not_the_fastest(self):
        measured = [make_run("comity", l0=[9.0] + [seconds] * 2) for seconds in (1.0, 2.0, 7.0)]
        drawn = [make_run("comity", l0=[9.0] + [seconds] * 3) for seconds in (0.5, 2.5, 1.8, 3.0)]
        self.assertIs(plan.nearest_to_median(drawn, measured), drawn[2])

    def test_a_slow_program_still_runs_a_few_steps(self):
        self.assertEqual(plan.sizes(1.0, 5, 9.0, 90.0).steps, plan.FULL.fewest)


class Choices(unittest.TestCase):
    def test_under_is_the_fastest_of_the_layouts_with_few_ranks(self):
        one, two, four = layouts.static_layouts(4)
        times = {one: 3.0, two: 2.0, four: 1.0}
        trials = {layout: make_run("under", l0=[0, time]) for layout, time in times.items()}
        self.assertEqual(plan.best_under(trials, 4), two)

    def test_a_layout_is_a_candidate_if_it_is_good_at_one_phase(self):
        one, two, four = layouts.static_layouts(4)
        trials = {one: make_run("under", l0=[0, 4.0], l1=[0, 1.0]), two: make_run("under", l0=[0, 2.0], l1=[0, 1.4]),
                  four: make_run("under", l0=[0, 1.0], l1=[0, 1.5])}
        self.assertEqual(plan.ideal_candidates(trials, ("l0", "l1")), [one, four])

    def test_a_layout_that_is_a_little_slower_in_its_trial_stays_a_candidate(self):
        one, two, four = layouts.static_layouts(4)
        trials = {one: make_run("under", l0=[0, 1.2]), two: make_run("under", l0=[0, 1.3]),
                  four: make_run("under", l0=[0, 1.0])}
        self.assertEqual(plan.ideal_candidates(trials, ("l0",)), [one, four])

    def test_another_mode_goes_first_in_each_repeat(self):
        self.assertEqual([plan.order(["a", "b", "c"], repeat)[0] for repeat in range(4)], ["a", "b", "c", "a"])


if __name__ == "__main__":
    unittest.main()
