# SPDX-License-Identifier: BSD-3-Clause
"""The picture demo.svg: for each mode which phase used which core when, after the paper's Figures 2 and 5. Pure text.

A panel a mode, all at one time scale; a row a core; the height of the colour is the core's utilisation; idle is
white."""
from xml.sax.saxutils import escape

import cores as core_rows

# Colour-blind eyes tell these apart.
COLOURS = {"l0": "#0072b2", "l1": "#e69f00", "remap": "#009e73", "quiesce": "#cc79a7"}
LABELS = {"l0": "L0: MPI, one thread a rank", "l1": "L1: MPI+OpenMP, wide", "remap": "remap", "quiesce": "moving ranks"}
LEFT, RIGHT, TOP, PLOT_WIDTH = 84, 120, 84, 780
PANEL_GAP, TITLE_HEIGHT, AXIS_HEIGHT = 20, 20, 46
FONT = "font-family='DejaVu Sans, Helvetica, Arial, sans-serif'"
LONGEST_OF_OTHERS = 1.05   # the time axis ends a little after the slowest mode but `over`
THINNEST_PX = 0.25
DASHED = "stroke='#222222' stroke-dasharray='2 3'"
BOLD = " font-weight='bold'"
GREY = " fill='#555555'"
LARGEST_BYTES = 280_000


def row_height(core_count):
    return 24 if core_count <= 4 else max(6, 120 // core_count)


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x, y, words, size=13, anchor="start", more=""):
    place = f"x='{number(x)}' y='{number(y)}'"
    return f"<text {place} font-size='{size}' text-anchor='{anchor}'{more}>{escape(words)}</text>"


def box(x, y, width, height, fill, stroke=""):
    edge = f" stroke='{stroke}'" if stroke else ""
    return f"<rect x='{number(x)}' y='{number(y)}' width='{width}' height='{height}' fill='{fill}'{edge}/>"


def line(x1, y1, x2, y2, style):
    return f"<line x1='{number(x1)}' y1='{number(y1)}' x2='{number(x2)}' y2='{number(y2)}' {style}/>"


def milliseconds_step(span_ms, wanted=8):
    """1, 2 or 5 times a power of ten, so that about `wanted` ticks fit."""
    power = 1.0
    while power * 10 * wanted <= span_ms:
        power *= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * wanted >= span_ms or factor == 10)


class Panel:
    """One mode's part of the time window."""

    def __init__(self, name, shape, spans, utilisation, cores, steps):
        chosen, self.end_s = core_rows.window(spans, 1, steps)
        self.name, self.shape, self.utilisation = name, shape, utilisation
        self.rows = core_rows.rows(chosen, cores)
        self.step_ends = core_rows.step_ends(chosen)

    def draw(self, top, scale, height):
        """The lines of one panel whose uppermost row begins at `top`; `scale`: pixels a second."""
        bottom = top + height * len(self.rows)
        lines = [box(LEFT, top, PLOT_WIDTH, bottom - top, "#ffffff", "#8a8a8a")]
        lines += self.colours(top, scale, height)
        lines += [line(LEFT, top + place * height, LEFT + PLOT_WIDTH, top + place * height, "stroke='#c8c8c8'")
                  for place in range(1, len(self.rows))]
        lines += self.done(top, bottom, scale) + self.names(top, height)
        return lines + self.marks(top, bottom, scale)

    def colours(self, top, scale, height):
        paths = {}
        for place, pieces in enumerate(self.rows):
            floor = top + (place + 1) * height - 1
            for begin, until, phase, low, high in pieces:
                left, right = begin * scale, min(until * scale, PLOT_WIDTH)
                if right - left < THINNEST_PX:
                    continue
                tall = (high - low) * (height - 2)
                paths.setdefault(phase, []).append(f"M{number(LEFT + left)} {number(floor - low * (height - 2))}"
                                                   f"h{number(right - left)}v{number(-tall)}h{number(left - right)}z")
        return [f"<path fill='{COLOURS[phase]}' d='{''.join(parts)}'/>" for phase, parts in sorted(paths.items())]

    def done(self, top, bottom, scale):
        """What is right of the end is neither busy nor idle."""
        left = self.end_s * scale + 1
        room = PLOT_WIDTH - left - 1
        if room <= 0:
            return []
        lines = [box(LEFT + left, top + 1, number(room), bottom - top - 2, "#ececec")]
        if room > 40:
            lines.append(text(LEFT + left + room / 2, 0.5 * (top + bottom) + 4, "done", 12, "middle", GREY))
        return lines

    def names(self, top, height):
        lines = [text(LEFT, top - 6, self.name, 14, more=BOLD),
                 text(LEFT + 9.5 * len(self.name) + 10, top - 6, self.shape, 12, more=GREY)]
        every = 1 if height >= 12 else max(1, 12 // height + 1)
        return lines + [text(LEFT - 8, top + (place + 0.5) * height + 4, f"core {place}", 12, "end")
                        for place in range(0, len(self.rows), every)]

    def marks(self, top, bottom, scale):
        lines = [line(LEFT + end * scale, top - 3, LEFT + end * scale, bottom, DASHED)
                 for end in self.step_ends if end * scale <= PLOT_WIDTH]
        middle = 0.5 * (top + bottom)
        words = [f"{1000 * self.end_s:.0f} ms"]
        if self.utilisation is not None:
            words.append(f"{100 * self.utilisation:.0f} % used")
        if self.end_s * scale > PLOT_WIDTH:
            words.append("(goes on)")
        first = middle - 3 - 8 * (len(words) - 2)
        return lines + [text(LEFT + PLOT_WIDTH + 12, first + 17 * place, said, 13, more="" if place else BOLD)
                        for place, said in enumerate(words)]


def legend(top):
    lines, x = [], LEFT
    for phase, label in LABELS.items():
        lines += [box(x, top, 14, 14, COLOURS[phase]), text(x + 20, top + 12, label)]
        x += 36 + 7.4 * len(label)
    lines += [box(x, top, 14, 14, "#ffffff", "#8a8a8a"), text(x + 20, top + 12, "idle")]
    x += 66
    return lines + [line(x, top + 7, x + 18, top + 7, DASHED), text(x + 24, top + 12, "end of a step")]


def axis(top, end_s, scale):
    tick_ms = milliseconds_step(1000 * end_s)
    lines, time_ms = [], 0.0
    while time_ms <= 1000 * end_s:
        x = LEFT + time_ms / 1000 * scale
        lines += [line(x, top, x, top + 5, "stroke='#222222'"), text(x, top + 19, number(time_ms), 12, "middle")]
        time_ms += tick_ms
    return lines + [text(LEFT + PLOT_WIDTH / 2, top + 38, "time [ms]", 13, "middle")]


def ideal_mark(top, bottom, ideal_s, scale):
    x = LEFT + ideal_s * scale
    return [line(x, top - 24, x, bottom, "stroke='#c00000' stroke-width='1.5'"),
            text(x, top - 28, f"ideal {1000 * ideal_s:.0f} ms", 12, "middle", " fill='#c00000'")]


def picture(panels, title, subtitle, ideal_s):
    """The whole picture. ideal_s: how long the window's steps take in the ideal."""
    others = [panel.end_s for panel in panels if panel.name != "over"] or [panel.end_s for panel in panels]
    end_s = LONGEST_OF_OTHERS * max(others)
    scale = PLOT_WIDTH / end_s
    height = row_height(len(panels[0].rows))
    first_top = TOP + 62
    pitch = height * len(panels[0].rows) + TITLE_HEIGHT + PANEL_GAP
    bottom = first_top + pitch * len(panels) - TITLE_HEIGHT - PANEL_GAP
    width, tall = LEFT + PLOT_WIDTH + RIGHT, bottom + AXIS_HEIGHT + 8
    size = f"viewBox='0 0 {width} {tall}' width='{width}' height='{tall}'"
    lines = [f"<svg xmlns='http://www.w3.org/2000/svg' {size} {FONT} fill='#1a1a1a'>",
             f"<title>{escape(title)}</title>", box(0, 0, width, tall, "#ffffff"),
             text(LEFT, 32, title, 18, more=BOLD), text(LEFT, 55, subtitle, 13, more=GREY)]
    lines += legend(72)
    for place, panel in enumerate(panels):
        lines += panel.draw(first_top + place * pitch, scale, height)
    lines += axis(bottom, end_s, scale) + ideal_mark(first_top, bottom, ideal_s, scale) + ["</svg>"]
    return "\n".join(lines) + "\n"


def fitting(draw, steps):
    """The picture of as many steps as fit into a file of reasonable size. draw: steps -> text."""
    while True:
        drawn = draw(steps)
        if len(drawn.encode()) <= LARGEST_BYTES or steps == 1:
            return drawn
        steps //= 2
