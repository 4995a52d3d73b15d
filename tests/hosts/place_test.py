# SPDX-License-Identifier: BSD-3-Clause
"""`comity place` over hosts: the files that it writes put ranks on the hosts of the plan, and a line without them is found out.
    place_test.py COMMAND MPI LAUNCHER PROGRAM
The hosts are the same cores, so a job of two ranks a host shares them with the other host, as two real ones would not."""
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import hosts

COMMAND, MPI, LAUNCHER, PROGRAM = sys.argv[1:]
FORM = {"openmpi": "openmpi4", "mpich": "mpich"}[MPI]
# Ranks 0 and 2 exchange much, 1 and 3 too: hosts in turn, where a launcher fills one after the other.
GRAPH = "ranks 4\n0 2 9\n1 3 9\n0 1\n"
SCRIPT = """
cd {folder}
set -- --graph job.graph --hosts host1:2,host2:2
{command} place "$@" --output {form} --to made -- {program} >planned
line=$(sed -n 's/^  mpirun //p' planned)
{command} place "$@" --verify -- {launcher} $line && echo "written: fine"
{command} place "$@" --verify -- {launcher} -n 4 {program} || echo "plain: $?"
{command} place --measure costs.json -- {launcher} -n 4 {program}
tr -d ' \\n' <costs.json
"""


def setUpModule():
    hosts.require()
    if subprocess.run([COMMAND, "place", "--grid", "2"], capture_output=True, check=False).returncode != 0:
        print("NOT TESTED: this needs two cores, and here is one")
        sys.exit(hosts.SKIPPED)


class Place(unittest.TestCase):
    def test_ranks_run_on_the_hosts_of_the_plan(self):
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            with open(os.path.join(folder, "job.graph"), "w", encoding="ascii") as graph:
                graph.write(GRAPH)
            words = {"folder": folder, "command": COMMAND, "form": FORM, "program": PROGRAM, "launcher": LAUNCHER}
            quoted = {name: shlex.quote(word) for name, word in words.items()}
            _, output = hosts.run_script(SCRIPT.format(**quoted), "--slots", "2")
        self.assertIn("As planned: 4 ranks with 4 threads on 2 hosts.\nwritten: fine", output)
        self.assertRegex(output, r"- rank \d runs on host(\d), planned is host(?!\1)\d\n")
        self.assertIn("plain: 1", output)
        self.assertIn('"apart":["node"],"pairs":', output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
