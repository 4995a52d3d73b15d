# SPDX-License-Identifier: BSD-3-Clause
"""No function that is taken for a leaf calls another one of MPI, as far as the code of the installed library shows: who goes straight
to it leaves no mark, so a call inside would be shown as the program's.

Read are direct calls and jumps, from function to function and through the table for other objects; where Open MPI goes on through
pointers it gets into its components, and those have tables of their own."""
import os
import platform
import re
import subprocess
import unittest
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

LIBRARIES = os.environ["COMITY_MPI_LIBRARIES"].split()
FUNCTIONS = Path(os.environ["COMITY_FUNCTIONS"])

MPI_NAME = re.compile(r"P?MPI_[A-Z]\w*")
GOES_TO = re.compile(r"^\s*([0-9a-f]+):\s+(?:\w+ )*?[\w.]+\s+(?:[^<]*,\s*)?([0-9a-f]+) <([^>]+)>")
GOING = {"x86_64": r"\t((bnd|notrack) )?(call|j[a-z]+) .*<", "aarch64": r"\t(b|bl|b\.[a-z]+|cbn?z|tbn?z)\t.*<"}
# Turns a status around a callback of a generalized request that Fortran has made. A receive looks for it, and never is one.
NEVER_REACHED = {"Mrecv": {"Status_f2c"}, "Mrecv_c": {"Status_f2c"}}
# An accumulate that comes in as a message, whatever this rank calls meanwhile. It has no wrapper, so nobody can see it.
COMES_IN = {"mca_osc_pt2pt.so": {"Op_f2c"}}


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def plain(name):
    """PMPI_Send@@VERSION, MPI_Send -> Send."""
    return re.sub(r"^P?MPI_", "", name.split("@")[0])


FUNCTIONS_A_PIECE = 512  # read at a time: most of a library is behind pointers (MPICH's packing), and taking it apart takes 20 s


class Code:
    """Which function of a library goes to which, by address. Read piece by piece, where functions are asked for."""

    def __init__(self, library):
        self.library = library
        self.symbols = {}
        for words in map(str.split, lines_of("nm", "-D", "--defined-only", library)):
            if len(words) == 3 and words[1] in "TtWwi":
                self.symbols[words[2].split("@")[0]] = int(words[0], 16)
        frames = lines_of("readelf", "--debug-dump=frames", "-W", library)
        found = {int(match.group(1), 16) for match in (re.search(r"FDE.*pc=([0-9a-f]+)\.\.", line) for line in frames) if match}
        self.starts = sorted(found | set(self.symbols.values()))
        self.calls = defaultdict(set)    # of the function at an address, functions of this library
        self.outside = defaultdict(set)  # the same, names in the table for other objects
        self.pieces = set()  # that have been read

    def read_around(self, start):
        piece = self.place_of(start) // FUNCTIONS_A_PIECE * FUNCTIONS_A_PIECE
        if piece in self.pieces:
            return
        self.pieces.add(piece)
        first, *ends = self.starts[piece::FUNCTIONS_A_PIECE][:2]
        span = [f"--start-address={first:#x}", *(f"--stop-address={end:#x}" for end in ends)]
        with subprocess.Popen(["objdump", "-d", "-w", "--no-show-raw-insn", *span, self.library], stdout=subprocess.PIPE) as code, \
                subprocess.Popen(["grep", "-P", GOING[platform.machine()]], stdin=code.stdout, stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "LC_ALL": "C"}) as going:
            for line in going.stdout:
                self.read(line)

    def place_of(self, address):
        return max(0, bisect_right(self.starts, address) - 1)

    def start_of(self, address):
        return self.starts[self.place_of(address)]

    def read(self, line):
        match = GOES_TO.match(line)
        if match is None:
            return
        start = self.start_of(int(match.group(1), 16))
        name = match.group(3)
        if name.split("+")[0].endswith("@plt"):
            self.outside[start].add(name.split("@")[0])
        else:
            self.calls[start].add(self.start_of(int(match.group(2), 16)))

    def inside(self, name):
        """The functions of MPI that are called inside PMPI_<name>, however deep, as in `plain`."""
        found = set()
        seen, left = set(), [self.symbols["PMPI_" + name]]
        while left:
            start = left.pop()
            if start in seen:
                continue
            seen.add(start)
            self.read_around(start)
            for outside in self.outside[start]:
                if MPI_NAME.fullmatch(outside):
                    found.add(plain(outside))
                elif outside in self.symbols:
                    left.append(self.symbols[outside])
            left += self.calls[start]
        return found


def wrapped(also=""):
    """Those that have a wrapper, and this in their row."""
    rows = FUNCTIONS.read_text(encoding="utf-8").splitlines()
    names = [(re.search(r'\.name = "(\w+)"', row), row) for row in rows]
    return [plain(name.group(1)) for name, row in names if name and also in row]


def leaves():
    return wrapped(".leaf = true")


def components():
    """Of Open MPI, but for those of files, which no leaf gets into."""
    if os.environ["COMITY_MPI"] != "openmpi":
        return []
    folder = Path(LIBRARIES[0]).resolve().parent
    found = [path for pattern in ("openmpi*/mca_*.so", "openmpi/lib/openmpi*/mca_*.so") for path in folder.glob(pattern)]
    return [path for path in found if not re.match(r"mca_(io|fcoll|fs|fbtl|sharedfp)_", path.name)]


class Leaves(unittest.TestCase):
    @unittest.skipUnless(platform.machine() in GOING, "NOT TESTED: how this processor's calls look in objdump is not known here")
    def test_the_library_calls_nothing_of_mpi_inside_them(self):
        library = next(file for file in LIBRARIES if any(" T PMPI_Send" in line for line in lines_of("nm", "-D", file)))
        code = Code(library)
        self.assertIn("Comm_set_errhandler", code.inside("Errhandler_set"), "a call that is known to be there is found")
        all_leaves = leaves()
        self.assertIn("Send", all_leaves)
        for name in all_leaves:
            with self.subTest(name=name):
                self.assertEqual(code.inside(name) - NEVER_REACHED.get(name, set()), set())

    def test_components_call_nothing_of_mpi(self):
        self.assertEqual(set().union(*COMES_IN.values()) & set(wrapped()), set(), "who has a wrapper is seen")
        for path in components():
            with self.subTest(component=path.name):
                names = [line.split()[-1].split("@")[0] for line in lines_of("nm", "-D", "--undefined-only", str(path))]
                called = {plain(name) for name in names if MPI_NAME.fullmatch(name)}
                self.assertEqual(called - COMES_IN.get(path.name, set()), set())


if __name__ == "__main__":
    unittest.main()
