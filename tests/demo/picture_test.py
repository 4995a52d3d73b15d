# SPDX-License-Identifier: BSD-3-Clause
import unittest
import xml.etree.ElementTree as xml

import picture
from helper import span, wide_steps

SVG = "{http://www.w3.org/2000/svg}"
MODES = ("under", "over", "comity")


def many_cores(count, steps):
    """Every core with many short spans: the worst that a picture has to hold."""
    spans = []
    for rank in range(count):
        for step in range(steps):
            for part in range(20):
                start = step + part / 20
                spans.append(span("l0" if part == 0 else "l1", start, start + 0.04 + 0.0001 * rank, cpu=rank, rank=rank,
                                  share=0.3 + 0.03 * (part % 20)))
    return spans


class Picture(unittest.TestCase):
    def draw(self, spans=None, cores=((0,), (1,)), title="Title", steps=2):
        panels = [picture.Panel(mode, "1 rank", spans or wide_steps(4), 0.75, cores, steps) for mode in MODES]
        return picture.picture(panels, title, "subtitle", 0.3)

    def words(self, drawn):
        return [element.text for element in xml.fromstring(drawn).iter(SVG + "text")]

    def test_it_is_well_formed_also_with_odd_words(self):
        self.assertIn("a < b & c", self.words(self.draw(title="a < b & c")))

    def test_every_mode_has_its_panel_and_every_core_its_row(self):
        words = self.words(self.draw())
        for mode in MODES:
            self.assertIn(mode, words)
        self.assertEqual(words.count("core 0"), len(MODES))
        self.assertEqual(words.count("core 1"), len(MODES))

    def test_each_phase_has_its_colour(self):
        fills = {element.get("fill") for element in xml.fromstring(self.draw()).iter(SVG + "path")}
        self.assertEqual(fills, {picture.COLOURS["l0"], picture.COLOURS["l1"]})

    def test_legend_axis_and_ideal_are_named(self):
        words = self.words(self.draw())
        for word in list(picture.LABELS.values()) + ["idle", "time [ms]", "ideal 300 ms"]:
            self.assertIn(word, words)

    def test_nothing_is_drawn_right_of_the_axis(self):
        panels = [picture.Panel("under", "", wide_steps(4), 0.5, [[0], [1]], 2),
                  picture.Panel("over", "", wide_steps(4, l0_s=3.0), 0.5, [[0], [1]], 2)]
        drawn = picture.picture(panels, "t", "s", 0.3)
        self.assertIn("(goes on)", self.words(drawn))
        for path in xml.fromstring(drawn).iter(SVG + "path"):
            for part in path.get("d").split("z")[:-1]:
                left = float(part[1:].split()[0])
                width = float(part.split("h")[1].split("v")[0])
                self.assertLessEqual(left + width, picture.LEFT + picture.PLOT_WIDTH + 0.1)

    def test_the_axis_holds_all_of_the_slowest_mode_but_over(self):
        panels = [picture.Panel("under", "", wide_steps(4), 0.5, [[0], [1]], 2),
                  picture.Panel("comity", "", wide_steps(4, l0_s=0.5), 0.5, [[0], [1]], 2)]
        self.assertNotIn("(goes on)", self.words(picture.picture(panels, "t", "s", 0.3)))

    def test_the_ideal_stands_at_its_time(self):
        def x_of_ideal(ideal_s):
            panels = [picture.Panel("under", "", wide_steps(4), 0.5, [[0], [1]], 2)]
            lines = xml.fromstring(picture.picture(panels, "t", "s", ideal_s)).iter(SVG + "line")
            return [float(line.get("x1")) for line in lines if line.get("stroke") == "#c00000"][0]

        axis_s = picture.LONGEST_OF_OTHERS * 0.4  # two steps of 0.2 s
        for ideal_s in (0.0, 0.1, 0.3):
            self.assertAlmostEqual(x_of_ideal(ideal_s), picture.LEFT + picture.PLOT_WIDTH * ideal_s / axis_s, delta=0.1)

    def test_sixty_four_busy_cores_fit_into_the_size(self):
        spans, cores = many_cores(64, 5), [[cpu] for cpu in range(64)]
        drawn = picture.fitting(lambda steps: self.draw(spans, cores, steps=steps), 4)
        self.assertLess(len(drawn.encode()), 300_000)
        xml.fromstring(drawn)

    def test_ticks_are_round_numbers(self):
        self.assertEqual([picture.milliseconds_step(span_ms) for span_ms in (7, 16, 40, 155, 900)], [1, 2, 5, 20, 200])


if __name__ == "__main__":
    unittest.main()
