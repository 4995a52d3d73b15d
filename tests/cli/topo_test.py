# SPDX-License-Identifier: BSD-3-Clause
"""`comity topo`: described machines against their expected answers, golden text, and processes that are bound."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from running import run, run_json

MACHINES = Path(__file__).resolve().parents[1] / "data" / "machines"

SMALL = "package:2 [numa(memory=8GiB)] l3:1(size=16MiB) l2:2(size=1MiB) core:1 pu:2"
SMALL_TREE = f"""{SMALL}
2 packages, 2 NUMA nodes, 2 L3, 4 L2, 4 cores, 8 PUs, memory 16 GiB
Simulated: the kernel does not know these PUs, nothing is bound to them.

package 0                                 PU 0-3
  NUMA node 0  8 GiB                      PU 0-3
  L3 0         16 MiB                     PU 0-3
    cores 0-1  2 cores x 2 PUs; L2 1 MiB  PU 0-3
package 1                                 PU 4-7
  NUMA node 1  8 GiB                      PU 4-7
  L3 1         16 MiB                     PU 4-7
    cores 2-3  2 cores x 2 PUs; L2 1 MiB  PU 4-7
"""


def expected(name):
    """(query, answer) of each line of a described machine's .expected file."""
    for line in (MACHINES / f"{name}.expected").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            query, answer = line.split("=", 1)
            yield query.split(), answer.strip()


def objects(tree):
    """{(type, index): object} of a whole tree."""
    found = {(tree["type"], tree["index"]): tree}
    for child in tree.get("children", ()):
        found.update(objects(child))
    return found


def devices_of(machine, kind):
    return [device for device in machine["devices"] if device["kind"] == kind]


def said_of(device):
    """As the .expected files say it."""
    place = f" at {device['pci']}" if device["pci"] else ""
    numa = -1 if device["numa"] is None else device["numa"]
    return f"{device['name']}{place} numa {numa} id {device['unique_id'] or 'none'}"


class Machines(unittest.TestCase):
    def test_every_described_machine_is_told_as_expected(self):
        names = sorted(path.stem for path in MACHINES.glob("*.xml"))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with self.subTest(name):
                self.check(name, run_json("topo", "--xml", MACHINES / f"{name}.xml"))

    def check(self, name, told):
        machine, tree = told["machine"], objects(told["tree"])
        checked = 0
        for query, answer in expected(name):
            if query[0] == "count":
                found = machine["counts"][query[1]]
                self.assertEqual(len([key for key in tree if key[0] == query[1]]), found, query)
            elif query[0] in ("allowed", "complete"):
                found = machine[query[0]]
            elif query[0] in ("cpuset", "os_index") and (query[1], int(query[2])) in tree:
                found = tree[query[1], int(query[2])][query[0]]
            elif query[0] == "memory" and ("numa", int(query[1])) in tree:
                found = tree["numa", int(query[1])].get("bytes", 0)
            elif query[0] == "memory_kind" and ("numa", int(query[1])) in tree:
                found = tree["numa", int(query[1])]["memory_kind"]
            elif query[0] == "devices":
                found = len(devices_of(machine, query[1]))
            elif query[0] == "device" and answer != "range" and answer != "not_found":
                found = said_of(devices_of(machine, query[1])[int(query[2])])
            elif query[0] == "device_cpuset":
                found = devices_of(machine, query[1])[int(query[2])]["cpuset"]
            elif query[0] == "core_kinds":
                found = len(machine["core_kinds"])
            else:
                continue
            self.assertEqual(str(found), answer, query)
            checked += 1
        self.assertGreaterEqual(checked, 5)

    def test_text_of_every_described_machine_fits_into_80_columns(self):
        for path in MACHINES.glob("*.xml"):
            done = run("topo", "--xml", path)
            self.assertEqual(done.returncode, 0)
            for line in done.stdout.splitlines()[1:]:  # the first is the file's name
                self.assertLessEqual(len(line), 80, line)

    def test_a_file_that_ends_hwloc_ends_in_a_sentence(self):
        text = (MACHINES / "one-core.xml").read_text(encoding="utf-8")
        node = next(line for line in text.splitlines() if 'type="NUMANode"' in line)
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text.replace(node, re.sub(' complete_nodeset="[^"]*"', "", node)))
            file.flush()
            for done in (run("topo", "--xml", file.name), run("doctor", HWLOC_XMLFILE=file.name)):
                self.assertEqual(done.returncode, 1)
                self.assertIn(f'read the topology file "{file.name}"', done.stdout + done.stderr)

    def test_small_machine_is_drawn_like_this(self):
        self.assertEqual(run("topo", "--synthetic", SMALL).stdout, SMALL_TREE)

    def test_all_gives_every_object_a_line(self):
        text = run("topo", "--all", "--synthetic", "package:1 core:2 pu:2").stdout
        for line in ("core 0", "core 1", "PU 0", "PU 3"):
            self.assertIn(f" {line} ", text)

    def test_big_machine_stays_readable(self):
        done = run("topo", "--synthetic", "package:4 [numa] l3:2(size=32MiB) l2:16(size=1MiB) l1:1(size=32KiB) core:1 pu:2")
        lines = done.stdout.splitlines()
        self.assertLess(len(lines), 30)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("cores 112-127  16 cores x 2 PUs; L2 1 MiB, L1 32 KiB", done.stdout)

    def test_what_is_forbidden_is_told(self):
        self.assertIn("the machine also has PU 0-1,6-7", run("topo", "--xml", MACHINES / "forbidden.xml").stdout)

    def test_devices_stand_behind_the_tree(self):
        text = run("topo", "--xml", MACHINES / "gpu-node.xml").stdout
        self.assertRegex(text, r"(?m)^  GPU 3  cuda3  0000:d8:00.0  package 1, NUMA 1  NVIDIA A100-SXM4-40GB$")
        self.assertRegex(text, r"(?m)^  NIC 1  ib1 +0000:86:00.0  package 1, NUMA 1  MT28908")
        self.assertNotIn("ASPEED", text)
        self.assertNotIn("nvme", text)

    def test_kinds_of_cores_and_memory_are_named(self):
        self.assertRegex(run("topo", "--xml", MACHINES / "hybrid.xml").stdout, r"(?m)^  IntelCore +1 +4900  0-3$")
        self.assertNotIn("Kinds of cores", run("topo", "--xml", MACHINES / "gpu-node.xml").stdout)
        self.assertRegex(run("topo", "--xml", MACHINES / "knl-7250.xml").stdout, r"NUMA node 1  16 GiB HBM ")
        self.assertRegex(run("topo", "--xml", MACHINES / "memory-only.xml").stdout, r"NUMA node 1 +64 GiB expander ")

    def test_variables_of_hwloc_name_the_machine_too(self):
        self.assertEqual(run_json("topo", HWLOC_SYNTHETIC="core:3 pu:1")["machine"]["counts"]["core"], 3)

    def test_this_machine_has_what_we_may_use(self):
        allowed = run_json("topo")["machine"]["allowed"]
        self.assertTrue(allowed)

    def test_file_that_is_missing_is_named(self):
        done = run("topo", "--xml", "/absent.xml")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/absent.xml", done.stderr)

    def test_advice_names_the_place_where_the_file_was_named(self):
        for words, variables, place in [(("--xml", "/absent.xml"), {}, "--xml"),
                                        ((), {"HWLOC_XMLFILE": "/absent.xml"}, "HWLOC_XMLFILE")]:
            with self.subTest(place):
                told = run("topo", *words, **variables).stderr
                self.assertIn(f"; check {place}, or make the file with lstopo --of xml", told)
                self.assertEqual("HWLOC_XMLFILE" in told, bool(variables))

    def test_description_without_sense_is_named(self):
        done = run("topo", "--synthetic", "nonsense:x")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nonsense:x", done.stderr)

    def test_two_machines_at_once_are_bad_usage(self):
        self.assertEqual(run("topo", "--xml", "a", "--synthetic", "core:2 pu:1").returncode, 2)


class Processes(unittest.TestCase):
    def setUp(self):
        self.cpu = min(os.sched_getaffinity(0))
        self.child = subprocess.Popen(  # waits until its input closes
            [sys.executable, "-c", f"import os, sys; os.sched_setaffinity(0, [{self.cpu}]); print(flush=True); sys.stdin.read()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PMI_RANK": "7"})
        self.child.stdout.readline()

    def tearDown(self):
        self.end_child()
        self.child.stdout.close()

    def end_child(self):
        self.child.stdin.close()
        self.child.wait()

    def test_process_is_shown_where_it_is_bound(self):
        told = run_json("topo", self.child.pid)["process"]
        self.assertEqual((told["pid"], told["cpuset"], told["rank"]), (self.child.pid, str(self.cpu), 7))
        self.assertEqual([thread["tid"] for thread in told["threads"]], [self.child.pid])
        self.assertEqual(told["outside"], "")
        self.assertTrue(told["objects"])

    def test_text_names_process_rank_and_objects(self):
        text = run("topo", self.child.pid).stdout
        self.assertTrue(text.startswith(f"process {self.child.pid}, rank 7\n"))
        self.assertRegex(text, rf"(?m)^  {self.child.pid} +\S+ +{self.cpu} +\S")

    def test_job_below_a_launcher_holds_the_ranks(self):
        told = run_json("topo", "--job", os.getpid())["job"]
        self.assertEqual(told["found_by"], "launcher")
        self.assertIn((self.child.pid, 7), [(process["pid"], process["rank"]) for process in told["processes"]])
        self.assertRegex(run("topo", "--job", os.getpid()).stdout, rf"(?m)^  7 +{self.child.pid} +{self.cpu} ")

    def test_simulated_machine_and_real_process_are_not_mixed_in_silence(self):
        self.assertIn("do not belong together", run("topo", "--synthetic", "core:2 pu:1", self.child.pid).stdout)

    def test_process_that_does_not_exist_is_a_failure_that_names_it(self):
        self.end_child()  # ended and reaped: its number is free, and is not taken again so soon
        for words in (("topo", self.child.pid), ("topo", "--job", self.child.pid)):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"process {self.child.pid}", done.stderr)

    def test_process_without_ranks_below_it_is_a_failure_that_names_it(self):
        with subprocess.Popen(["sleep", "60"], env={"PATH": os.environ["PATH"]}) as sleeper:
            try:
                done = run("topo", "--job", sleeper.pid)
            finally:
                sleeper.kill()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"process {sleeper.pid}: neither it nor a process below it (0,", done.stderr)

    def test_word_that_is_no_number_is_bad_usage(self):
        for word in ("abc", "-1", "0", "12x"):
            self.assertEqual(run("topo", word).returncode, 2, word)

    def test_pid_and_job_together_are_bad_usage(self):
        self.assertEqual(run("topo", self.child.pid, "--job").returncode, 2)


if __name__ == "__main__":
    unittest.main()
