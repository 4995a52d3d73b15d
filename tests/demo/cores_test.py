# SPDX-License-Identifier: BSD-3-Clause
import unittest

import cores
import utilisation
from helper import make_run, span, wide_steps

TWO_CORES = [[0], [1]]


class Utilisation(unittest.TestCase):
    def test_a_rank_alone_on_two_cores_uses_half_of_them(self):
        run = make_run("under", l0=[0.1] * 3, l1=[0.1] * 3, spans=wide_steps(3))
        used = utilisation.per_phase(run, 2)
        self.assertAlmostEqual(used["l0"], 0.5)
        self.assertAlmostEqual(used["l1"], 1.0)
        self.assertAlmostEqual(used["all"], 0.75)

    def test_a_phase_that_takes_no_time_has_no_utilisation(self):
        run = make_run("under", l0=[0.1] * 3, l1=[0.1] * 3, spans=wide_steps(3))
        self.assertIsNone(utilisation.per_phase(run, 2)["quiesce"])

    def test_the_first_step_is_left_out(self):
        spans = wide_steps(2)
        spans[0]["cpu_s"] = 0.0
        run = make_run("under", l0=[0.1] * 2, l1=[0.1] * 2, spans=spans)
        self.assertAlmostEqual(utilisation.per_phase(run, 2)["l0"], 0.5)

    def test_a_step_begins_with_l0_of_the_main_thread(self):
        self.assertEqual([step for step, _ in utilisation.steps_of(wide_steps(2))], [0, 0, 0, 1, 1, 1])


class Rows(unittest.TestCase):
    def test_each_core_shows_its_own_threads(self):
        first, second = cores.rows(wide_steps(1), TWO_CORES)
        self.assertEqual([piece[2] for piece in first], ["l0", "l1"])
        self.assertEqual([piece[2] for piece in second], ["l1"])

    def test_half_a_share_is_half_as_high(self):
        (piece,), _ = cores.rows([span("l0", 0.0, 1.0, share=0.5)], TWO_CORES)
        self.assertEqual(piece, (0.0, 1.0, "l0", 0.0, 0.5))

    def test_threads_on_one_core_share_its_height(self):
        pieces, _ = cores.rows([span("l1", 0.0, 1.0), span("l0", 0.0, 1.0, rank=1)], TWO_CORES)
        self.assertEqual([(piece[2], piece[3], piece[4]) for piece in pieces], [("l0", 0.0, 0.5), ("l1", 0.5, 1.0)])

    def test_a_thread_that_moved_counts_by_half_on_each_core(self):
        first, second = cores.rows([span("l1", 0.0, 1.0, cpu=[0, 1])], TWO_CORES)
        self.assertEqual((first[0][4], second[0][4]), (0.5, 0.5))

    def test_who_rests_is_not_shown(self):
        self.assertEqual(cores.rows([span("quiesce", 0.0, 1.0, share=0.001)], TWO_CORES), [[], []])

    def test_siblings_are_one_row(self):
        (row,) = cores.rows([span("l0", 0.0, 1.0, cpu=4)], [[0, 4]])
        self.assertEqual(len(row), 1)

    def test_the_window_starts_with_its_first_step(self):
        chosen, end = cores.window(wide_steps(4), 1, 2)
        self.assertAlmostEqual(min(each["start_s"] for each in chosen), 0.0)
        self.assertAlmostEqual(end, 0.4)


if __name__ == "__main__":
    unittest.main()
