# SPDX-License-Identifier: BSD-3-Clause
"""Each way in which memory becomes resident: whose it is does not depend on it. COMITY_GROUP names the ways of one entry, COMITY_WAYS all that
have a library."""
import os
import tempfile
import unittest

from huge_pages import reserve_huge_pages
from memory_job import MEGA
from owners_test import Case

WHOLE = 8 * MEGA
# At the end, and at the most: other than the whole.
LAST = {"locked": 4 * MEGA, "only_read": 0, "of_both": WHOLE // 2, "given_back": 3 * MEGA, "unmapped": 0, "in_hugetlb": 4 * MEGA,
        "small_blocks": (WHOLE + 999) // 1000 * 1000}
MOST = {"locked": 4 * MEGA, "only_read": 0, "in_hugetlb": 4 * MEGA}


class Ways(Case):
    def setUp(self):
        self.rules = tempfile.NamedTemporaryFile("w", suffix=".rules")
        self.addCleanup(self.rules.close)
        for way in os.environ["COMITY_WAYS"].split():
            self.rules.write(f"{way} = libmemory_of_{way}.so\n")
        self.rules.flush()
        os.environ["COMITY_MEMORY_RULES"] = self.rules.name

    def test_memory_is_whose_asked_for_it_however_it_is_touched(self):
        """COMITY_MALLOC: behind that one in glibc's place."""
        ways = os.environ["COMITY_GROUP"].split()
        if "in_hugetlb" in ways:
            self.addCleanup(reserve_huge_pages(32))  # 2 a rank, and some for UCX, which takes what there is in MPI_Init
        other_malloc = os.environ.get("COMITY_MALLOC")
        ranks, _ = self.run_job(*ways, env={**os.environ, "LD_PRELOAD": other_malloc} if other_malloc else None)
        self.skip_what_the_machine_refuses(ranks)
        for way in ways:
            for rank in ranks:
                with self.subTest(way=way, rank=rank["rank"]):
                    self.has_its_memory(rank["components"][way], way)
        if "of_both" in ways:
            self.near(sum(rank["components"]["of_both"]["last_bytes"] for rank in ranks), WHOLE)
        for rank in ranks:
            self.has_nothing_else(rank)

    def skip_what_the_machine_refuses(self, ranks):
        if "refused" in self.printed:
            self.skipTest(f"NOT TESTED: {self.printed.strip()}")
        if os.environ["COMITY_GROUP"] == "huge" and any(rank["totals"][-1]["huge_bytes"] < WHOLE for rank in ranks):
            self.skipTest("NOT TESTED: this machine gave no huge pages")

    def has_its_memory(self, figures, way):
        self.near(figures["last_bytes"], LAST.get(way, WHOLE))
        self.near(figures["peak_bytes"], MOST.get(way, LAST["small_blocks"] if way == "small_blocks" else WHOLE))

    def has_nothing_else(self, rank):
        """Whoever has touched it: the program, the C library, MPI or nobody that is known. Of MPI not its share of its own code, of which
        other jobs give it more or less."""
        for name in "application", "libc":
            figures = rank["components"][name]
            self.assertLess(figures["last_bytes"], figures["start_bytes"] + 2 * MEGA, name)
        grown = sum(row["grown_bytes"] - row["shrunk_bytes"] for row in rank["growth"]
                    if row["component"] == "mpi" and not row["function"].startswith("MPI_Init"))
        self.assertLess(grown, 2 * MEGA, "mpi")
        for name in "anonymous", "shared", "file", "unknown":
            self.assertLess(rank["components"].get(name, {"last_bytes": 0})["last_bytes"], 4 * MEGA, name)


if __name__ == "__main__":
    unittest.main()
