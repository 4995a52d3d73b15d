# SPDX-License-Identifier: BSD-3-Clause
import unittest

import ideal
from helper import make_run


class EquationOne(unittest.TestCase):
    """The paper's example: two phases of equal serial time, L1 of which has threading degree 1."""

    def test_without_threads_under_subscription_costs_nothing(self):
        self.assertAlmostEqual(ideal.equation_1({"a": 0.5, "b": 0.5}, {"a": 1.0, "b": 1.0}, 16), 16.0)

    def test_four_threads_leave_three_quarters_of_one_phase_idle(self):
        # 1 / (0.5 / (16 / 4) + 0.5 / 16)
        self.assertAlmostEqual(ideal.equation_1({"a": 0.5, "b": 0.5}, {"a": 0.25, "b": 1.0}, 16), 6.4)

    def test_two_cores_model_half_as_much_again(self):
        self.assertAlmostEqual(ideal.modelled_speedup({"l0": 0.5, "l1": 0.5}, 2, 2), 1.5)

    def test_remap_is_single_threaded_as_l0_is(self):
        self.assertAlmostEqual(ideal.modelled_speedup({"l0": 0.4, "remap": 0.1, "l1": 0.5}, 4, 16), 0.5 * 4 + 0.5)

    def test_fractions_leave_quiescence_out(self):
        fractions = ideal.fractions_of({"l0": 3.0, "l1": 5.0, "remap": 2.0, "quiesce": 90.0})
        self.assertEqual(fractions, {"l0": 0.3, "l1": 0.5, "remap": 0.2})


class PhaseTimes(unittest.TestCase):
    def test_the_first_step_is_left_out(self):
        run = make_run("under", l0=[9.0, 1.0, 2.0], l1=[9.0, 3.0, 4.0])
        times = ideal.phase_times([run], 2)
        self.assertEqual((times["l0"], times["l1"], times["remap"]), (3.0, 7.0, 0.0))

    def test_a_disturbed_step_of_one_repeat_does_not_count(self):
        runs = [make_run("under", l0=each) for each in ([0, 1.0, 1.0], [0, 50.0, 1.0], [0, 1.0, 50.0])]
        self.assertEqual(ideal.phase_times(runs, 2)["l0"], 2.0)

    def test_a_shorter_run_is_scaled(self):
        self.assertEqual(ideal.phase_times([make_run("over", l0=[0, 2.0, 2.0])], 10)["l0"], 20.0)


class Ideal(unittest.TestCase):
    def test_each_phase_takes_its_own_best_layout(self):
        static = {"1x2": {"l0": 4.0, "l1": 2.0, "remap": 0.5, "quiesce": 0.1},
                  "2x1": {"l0": 2.0, "l1": 2.5, "remap": 0.3, "quiesce": 0.2}}
        best = ideal.ideal(static)
        self.assertEqual(best, {"l0": ("2x1", 2.0), "l1": ("1x2", 2.0), "remap": ("2x1", 0.3)}, "it has no quiescence")
        self.assertAlmostEqual(ideal.ideal_total(best), 4.3)


class Repeats(unittest.TestCase):
    def test_each_is_held_against_the_ideals_layouts_of_its_own_repeat(self):
        """The second repeat is slow everywhere, the third in the mode alone."""
        static = {"1x2": [make_run("under", l0=[0, 9.0], l1=[0, l1]) for l1 in (1.0, 2.0, 1.0)],
                  "2x1": [make_run("under", l0=[0, l0], l1=[0, 9.0]) for l0 in (1.0, 2.0, 1.0)]}
        best = {"l0": ("2x1", 1.0), "l1": ("1x2", 1.0), "remap": ("2x1", 0.0)}
        runs = [make_run("comity", l0=[0, each], l1=[0, each]) for each in (1.0, 2.0, 4.0)]
        self.assertEqual(ideal.parts_of_repeats(runs, best, static, 1), [1.0, 1.0, 0.25])

    def test_fewer_steps_less_often_are_scaled_and_held_against_the_first_repeats(self):
        static = {"1x2": [make_run("under", l0=[0, 1.0, 1.0])] * 3}
        best = {phase: ("1x2", 0.0) for phase in ("l0", "l1", "remap")}
        self.assertEqual(ideal.parts_of_repeats([make_run("over", l0=[0, 4.0])], best, static, 2), [0.25])


if __name__ == "__main__":
    unittest.main()
