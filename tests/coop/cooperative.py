# SPDX-License-Identifier: BSD-3-Clause
"""Whether waits were cooperative in a job, by what its ranks said: a job in which nothing is replaced ends too, and with the same results.
For the tests beside this file and for jobs on several hosts."""
import re

TOLD = ("env", "COMITY_LOG=info")  # before `comity run`
ON = re.compile(r"\[coop\] waits are cooperative: (\d+) of (\d+) ranks take part")
# Of our library: what is wrong with waits, or that it leaves MPI alone.
COMPLAINS = re.compile(r"(?:warning|error): \[coop\]|keep their cores|takes no part|steps aside")


def expect_cooperative(test, said, part, ranks=None, but=None):
    """So many take part, of so many (all), and nothing was amiss, but what has these words in it. Of a job that spawned another both tell."""
    told = {tuple(map(int, found)) for found in ON.findall(said)}
    test.assertIn((part, part if ranks is None else ranks), told, f"waits were not cooperative:\n{said}")
    amiss = [line for line in said.splitlines() if COMPLAINS.search(line)]
    test.assertEqual([line for line in amiss if but is None or but not in line], [])
