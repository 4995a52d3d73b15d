# SPDX-License-Identifier: BSD-3-Clause
"""What a kaffpa of others does with its words, for scripts in its place: it reads a METIS graph, which has to be one, and answers
with parts in turn, a line a rank."""


def rows_of(path):
    """Of each vertex {neighbour: weight}, from 0. An edge stands in both of its rows, with one weight, and once."""
    with open(path, encoding="ascii") as file:
        header, *lines = [line.split() for line in file]
    vertices, edges, form = (int(word) for word in header)
    assert form == 1, "edges have weights, vertices have none"
    assert len(lines) == vertices, f"{len(lines)} rows of {vertices} vertices"
    rows = []
    for number, line in enumerate(lines):
        words = [int(word) for word in line]
        assert len(words) % 2 == 0, "a neighbour and a weight in turn"
        row = {neighbour - 1: weight for neighbour, weight in zip(words[::2], words[1::2])}
        assert len(row) * 2 == len(words), "no neighbour stands twice"
        assert number not in row and all(0 <= other < vertices for other in row), "vertices are 1, 2, .. and no edge joins one with itself"
        assert all(weight >= 1 for weight in row.values())
        rows.append(row)
    for number, row in enumerate(rows):
        assert all(rows[other].get(number) == weight for other, weight in row.items()), "each edge in both rows"
    assert sum(len(row) for row in rows) == 2 * edges, f"{edges} edges"
    return rows


def answer(words, asked):
    """Notes the words, but for those that name files, and what the graph was."""
    options = dict(word.split("=", 1) for word in words if word.startswith("--"))
    graph, = (word for word in words if not word.startswith("--"))
    rows = rows_of(graph)
    weight = sum(sum(row.values()) for row in rows) // 2
    with open(options["--output_filename"], "w", encoding="ascii") as file:
        file.writelines(f"{rank % int(options['--k'])}\n" for rank in range(len(rows)))
    told = " ".join(word for word in words if word.startswith("--") and not word.startswith("--output_filename"))
    with open(asked, "a", encoding="ascii") as file:
        file.write(f"{told}; {len(rows)} ranks, {sum(len(row) for row in rows) // 2} edges, weight {weight}\n")
