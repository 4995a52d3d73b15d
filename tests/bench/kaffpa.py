# SPDX-License-Identifier: BSD-3-Clause
"""KaHIP's kaffpa by the module of PyPI's package `kahip`, for machines without the program: the same words, the same files."""
import sys

import kahip

MODES = {"fast": kahip.FAST, "eco": kahip.ECO, "strong": kahip.STRONG}


def main(words):
    options = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
    path, = (word for word in words if not word.startswith("--"))
    with open(path, encoding="ascii") as file:
        header, *rows = [[int(word) for word in line.split()] for line in file]
    has_widths = len(header) > 2 and header[2] >= 10
    widths = [row.pop(0) if has_widths else 1 for row in rows]
    first, neighbours, weights = [0], [], []
    for row in rows:
        neighbours += [neighbour - 1 for neighbour in row[::2]]
        weights += row[1::2]
        first.append(len(neighbours))
    _, parts = kahip.kaffpa(widths, first, weights, neighbours, int(options["k"]), float(options["imbalance"]) / 100, True,
                            int(options["seed"]), MODES[options["preconfiguration"]])
    with open(options["output_filename"], "w", encoding="ascii") as file:
        file.writelines(f"{part}\n" for part in parts)


if __name__ == "__main__":
    main(sys.argv[1:])
