# SPDX-License-Identifier: BSD-3-Clause
import unittest

import layouts
import plan
import report
import table
from helper import make_run, wide_steps

MACHINE = {"processor": "test", "cores": 2}


def assembled(comity_fields="f", passed=True):
    times = {"under": (2.0, 1.0), "over": (1.0, 3.0), "comity": (1.0, 1.0), "comity-callee": (1.0, 1.0),
             "under-full": (2.0, 1.0)}
    measured = {}
    for mode, (l0, l1) in times.items():
        fields = comity_fields if mode == "comity" else "f"
        measured[mode] = [make_run(mode, fields=fields, passed=passed or mode != "over", spans=wide_steps(3),
                                   l0=[9.0] + [l0] * 2, l1=[9.0] + [l1] * 2)]
    static = {"1x2": measured["under"], "2x1": [make_run("under", l0=[9.0, 1.0, 1.0], l1=[9.0, 1.5, 1.5])]}
    serial = make_run("under", threads=1, l0=[0, 2.0], l1=[0, 2.0])
    return report.assemble(measured, {mode: runs[0] for mode, runs in measured.items()}, static, serial,
                           plan.Sizes(2, 1, 2, 1), 2, "openmpi", MACHINE, "demo.toml")


class Report(unittest.TestCase):
    def test_speedups_are_over_under_and_fractions_of_the_ideal(self):
        found = assembled()
        comity = found["modes"][layouts.MODES.index("comity")]
        self.assertAlmostEqual(comity["speedup"], 1.5)
        self.assertAlmostEqual(comity["ideal_fraction"], 1.0)
        self.assertAlmostEqual(found["ideal_speedup"], 1.5)
        self.assertAlmostEqual(found["equation_1_speedup"], 1.5)

    def test_every_mode_has_the_keys_that_others_read(self):
        for mode in assembled()["modes"]:
            self.assertLessEqual({"mode", "total_s", "speedup", "phases", "checks_passed"}, set(mode))
            self.assertEqual(set(mode["phases"]), {"l0_s", "l1_s", "remap_s", "quiesce_s"})

    def test_a_differing_checksum_fails_the_demo(self):
        found = assembled(comity_fields="g")
        self.assertFalse(found["checks_passed"])
        self.assertFalse(found["checksums"]["equal"])

    def test_a_failed_check_is_named_with_its_mode(self):
        found = assembled(passed=False)
        self.assertEqual(found["checks_failed"], ["check residual in over"])


class Text(unittest.TestCase):
    def test_the_last_line_says_how_much_faster_and_where_the_files_are(self):
        self.assertEqual(table.last_line(assembled(), ["a.json", "a.svg"]),
                         "make demo: comity 1.50 times as fast as under, 1.00 of the ideal; table above, a.json, a.svg")

    def test_the_last_line_says_first_what_failed(self):
        self.assertTrue(table.last_line(assembled(passed=False), ["a.json"]).startswith(
            "make demo: FAILED: check residual in over; comity"))

    def test_every_mode_has_a_row_of_times_and_one_of_bars(self):
        text = table.text(assembled())
        for mode in layouts.MODES:
            self.assertEqual(sum(line.split()[:1] == [mode] for line in text.splitlines()), 2, mode)

    def test_a_bar_is_as_long_as_its_part(self):
        self.assertEqual(table.bar(0.6), "|######....|  60 %")


if __name__ == "__main__":
    unittest.main()
