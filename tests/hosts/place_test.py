# SPDX-License-Identifier: BSD-3-Clause
"""`comity place` over hosts: the files that it writes put ranks on the hosts of the plan, and a line without them is found out.
    place_test.py COMMAND MPI LAUNCHER PROGRAM
LAUNCHER look: it is looked for, and is one of Open MPI 5.
The hosts are the same cores, so a job of two ranks a host shares them with the other host, as two real ones would not."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import hosts
import open_mpi_5

COMMAND, MPI, LAUNCHER, PROGRAM = sys.argv[1:]
if LAUNCHER == "look":
    LAUNCHER = open_mpi_5.launcher()
FORM = {"openmpi": "openmpi4", "openmpi5": "openmpi5", "mpich": "mpich"}[MPI]
# Ranks 0 and 2 exchange much, 1 and 3 too: hosts in turn, where a launcher fills one after the other.
GRAPH = "ranks 4\n0 2 9\n1 3 9\n0 1\n"
SCRIPT = """
cd {folder}
set -- --graph job.graph --hosts host1:2,host2:2
{command} place "$@" --output {form} --to made -- {program} >planned
line=$(sed -n 's/^  mpirun //p' planned)
{command} place "$@" --verify -- {launcher} $line && echo "written: fine"
{command} place "$@" --verify -- {launcher} -n 4 {program} || echo "plain: $?"
"""
MEASURES = MPI != "openmpi5"  # the program that does was built for another MPI
if MEASURES:
    SCRIPT += """
{command} place --measure costs.json -- {launcher} -n 4 {program}
tr -d ' \\n' <costs.json
"""
# The second cores alone, and both cores of each for the threads of one rank.
PARTS = """
cd {folder}
for part in "--without host1=0 --without host2=0" "--threads 2"; do
  set -- --grid 2 --hosts host1,host2 $part
  {command} place "$@" --output {form} --to made -- {program} >planned
  line=$(sed -n 's/^  mpirun //p' planned)
  {command} place "$@" --verify --json -- {launcher} $line | tr -d ' \\n'
  echo
done
"""


def setUpModule():
    hosts.require()
    if subprocess.run([COMMAND, "place", "--grid", "2"], capture_output=True, check=False).returncode != 0:
        print("NOT TESTED: this needs two cores, and here is one")
        sys.exit(hosts.SKIPPED)


class Place(unittest.TestCase):
    def run_in(self, folder, script):
        words = {"folder": folder, "command": COMMAND, "form": FORM, "program": PROGRAM, "launcher": LAUNCHER}
        quoted = {name: shlex.quote(word) for name, word in words.items()}
        return hosts.run_script(script.format(**quoted), "--slots", "2")[1]

    def test_ranks_run_on_the_hosts_of_the_plan(self):
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            with open(os.path.join(folder, "job.graph"), "w", encoding="ascii") as graph:
                graph.write(GRAPH)
            output = self.run_in(folder, SCRIPT)
        self.assertIn("As planned: 4 ranks with 4 threads on 2 hosts.\nwritten: fine", output)
        self.assertRegex(output, r"- rank \d runs on host(\d), planned is host(?!\1)\d\n")
        self.assertIn("plain: 1", output)
        if MEASURES:
            self.assertIn('"apart":["node"],"pairs":', output)

    def test_ranks_have_the_cores_that_are_left_and_their_threads_both(self):
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            output = self.run_in(folder, PARTS)
        verdicts = [json.loads(line) for line in output.splitlines() if line.startswith('{"as_planned"')]
        self.assertEqual([(one["findings"], one["hosts"]) for one in verdicts], 2 * [([], 2)], output)
        cores = [[(thread["rank"], thread["host"], thread["cpus"]) for thread in one["where"]] for one in verdicts]
        self.assertEqual([one[:2] for one in cores[0]], [(0, "host1"), (1, "host2")])
        self.assertEqual({cpus for _, _, cpus in cores[0]}, {cores[1][1][2]}, "the second core, as of the second thread")
        self.assertEqual([one[:2] for one in cores[1]], [(0, "host1"), (0, "host1"), (1, "host2"), (1, "host2")])
        self.assertNotEqual(cores[1][0][2], cores[1][1][2])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
