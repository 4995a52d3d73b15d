# SPDX-License-Identifier: BSD-3-Clause
"""A second reader, written from docs/record.md alone: what the page says is what stands in the files."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SAMPLE = os.environ["RECORD_SAMPLE"]


def crc32c(data, before=0):
    rest = before ^ 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = (rest >> 1) ^ (0x82F63B78 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


class Bytes:
    """Takes one value after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("=" + form, self.data, self.at)
        self.at += struct.calcsize("=" + form)
        return values[0] if len(values) == 1 else values

    def text(self):
        length = self.take("I")
        self.at += length
        return self.data[self.at - length:self.at].decode()


def chunks(data):
    at, expected = 0, None
    while at + 8 <= len(data):
        size, checksum = struct.unpack_from("=II", data, at)
        if size == 0:
            return
        padded = 16 + (size - 16 + 7) // 8 * 8
        if crc32c(data[at + 8:at + padded], size) != checksum:
            return
        word, = struct.unpack_from("=Q", data, at + 8)
        if expected not in (None, word >> 16):
            return
        expected = (word >> 16) + 1
        yield word & 0xFFFF, data[at + 16:at + size]
        at += padded


def table(data):
    name, _, count = data.text(), data.take("I"), data.take("I")
    columns = [(data.take("I"), data.text()) for _ in range(count)]
    rows = data.take("Q")
    values = {title: [data.text() if kind == 0 else data.take("qd"[kind - 1]) for _ in range(rows)]
              for kind, title in columns}
    return name, values


def content(data):
    found = {"facts": {}, "tables": {}, "streams": {}, "entries": {}, "end": None}
    for kind, payload in chunks(data):
        part = Bytes(payload)
        if kind == 1:
            key = part.text()
            found["facts"][key] = part.text()
        elif kind == 2:
            name, values = table(part)
            found["tables"][name] = values
        elif kind == 3:
            stream, series_or_spans = part.take("II")
            found["streams"][stream] = (series_or_spans, part.text(), part.text())
            found["entries"][stream] = []
        elif kind == 4:
            stream, _, time, value = part.take("IIqd")
            found["entries"][stream].append((time, time, value, value, value, 1))
        elif kind == 5:
            stream, _, begin, end = part.take("IIqq")
            found["entries"][stream].append((begin, end, end - begin, end - begin, end - begin, 1))
        elif kind in (6, 7):
            stream, count = part.take("II")
            form = "qqdddQ" if kind == 6 else "qqqqqQ"
            found["entries"][stream] += [part.take(form) for _ in range(count)]
        elif kind == 8:
            found["end"] = part.take("q")
    return found


def summary(data):
    found = {"ranks": data.take("I"), "facts": {}, "tables": {}}
    for _ in range(data.take("I")):
        key = data.text()
        found["facts"][key] = (data.text(), *data.take("III"))
    for _ in range(data.take("I")):
        name = data.text()
        columns = [(data.take("I"), data.text()) for _ in range(data.take("I"))]
        rows = {}
        for _ in range(data.take("Q")):
            key = tuple(data.text() for kind, _ in columns if kind == 0)
            ranks = data.take("I")
            rows[key] = (ranks, {title: data.take(("qqqII", "dddII")[kind - 1]) for kind, title in columns if kind})
        found["tables"][name] = rows
    return found


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        subprocess.run([SAMPLE, cls.folder], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_rank(self, found, rank):
        self.assertEqual(found["facts"], {"program": "sample", "host": f"host{rank}"})
        self.assertEqual(found["tables"], {"calls": {"function": ["MPI_Send", "MPI_Recv"], "count": [10 + rank, -3],
                                                     "wait_s": [0.5 + rank, 0.25]}})
        self.assertEqual(found["streams"], {0: (0, "", "memory_bytes"), 1: (1, "main", "solve")})
        samples, spans = found["entries"][0], found["entries"][1]
        self.assertEqual((samples[0][0], samples[-1][1]), (0, 9990))
        self.assertEqual((min(s[2] for s in samples), max(s[3] for s in samples), samples[-1][4]), (0, 99, 99))
        self.assertEqual((sum(s[5] for s in samples), sum(s[5] for s in spans)), (1000, 1000))
        self.assertEqual((sum(s[4] for s in spans), spans[0][0], spans[-1][1]), (4000, 0, 9994))
        self.assertEqual({(s[2], s[3]) for s in spans}, {(4, 4)})

    def test_the_file_of_a_rank(self):
        data = (self.folder / "rank-000001.comity").read_bytes()
        self.assertEqual(data[:8], b"comyrank")
        version, order, header, rank, ranks, node, half = struct.unpack_from("=IIIIIIQ", data, 8)
        self.assertEqual((version, order, header, rank, ranks, node), (1, 0x01020304, 80, 1, 2, 1))
        generation, _, checksum = struct.unpack_from("=QII", data, 64)
        self.assertEqual(checksum, crc32c(data[:64]))
        self.assertGreater(generation, 2)
        start = 80 + generation % 2 * half
        found = content(data[start:start + half])
        self.check_rank(found, 1)
        self.assertIsNone(found["end"])

    def test_the_merged_file(self):
        data = (self.folder / "run.comity").read_bytes()
        self.assertEqual(data[:8], b"\xC3comyrun")
        version, order, header, index_checksum, index_at, index_bytes = struct.unpack_from("=IIIIQQ", data, 8)
        self.assertEqual((version, order, header), (1, 0x01020304, 48))
        self.assertEqual(struct.unpack_from("=I", data, 44)[0], crc32c(data[:44]))
        index = Bytes(data[index_at:index_at + index_bytes])
        self.assertEqual(index_checksum, crc32c(index.data))
        self.assertEqual((index.text(), index.take("I")), ("", 2))
        for rank in range(index.take("I")):
            number, node, end, _, _, _, at, size = index.take("IIIIqqQQ")
            self.assertEqual((number, node, end), (rank, rank, rank))
            found = content(data[at:at + size])
            self.check_rank(found, rank)
            self.assertEqual(found["end"] is None, rank == 1)
            kind, start = next(chunks(data[at:at + size]))
            start = Bytes(start)
            self.assertEqual((kind, struct.unpack_from("=Q", data, at + 8)[0]), (9, 9))
            self.assertEqual(start.take("IIIIqqQQ")[::6], (rank, at))
            self.assertEqual((start.data[40:48], start.text()), (struct.pack("=Q", size), ""))
        nodes = {index.take("I"): summary(index) for _ in range(index.take("I"))}
        self.assertEqual(set(nodes), {0, 1})
        self.assertEqual(nodes[1]["tables"]["calls"][("MPI_Send",)], (1, {"count": (11, 11, 11, 1, 1),
                                                                          "wait_s": (1.5, 1.5, 1.5, 1, 1)}))
        job = summary(index)
        self.assertEqual(job["ranks"], 2)
        self.assertEqual(job["facts"], {"program": ("sample", 0, 2, 1), "host": ("host0", 0, 2, 0)})
        self.assertEqual(job["tables"]["calls"][("MPI_Send",)], (2, {"count": (21, 10, 11, 0, 1),
                                                                     "wait_s": (2.0, 0.5, 1.5, 0, 1)}))
        self.assertEqual([index.text() for _ in range(index.take("I"))], [])
        self.assertEqual(index.at, index_bytes)


if __name__ == "__main__":
    sys.exit(unittest.main())
