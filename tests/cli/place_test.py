# SPDX-License-Identifier: BSD-3-Clause
"""`comity place`: its words, its table, its JSON, its picture. What the mapper finds is tests/place's."""
import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from running import run, run_json

TEN = ("--nodes", 10, "--node-topology", "pack:2 core:4")
PAPER = ("place", "--grid", "5x16", *TEN)
MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "machines")
TRAFFIC = "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n"


def crossing(mapping, first, second, columns=16):
    """How many neighbours of the open 5x16 grid `first` keeps together and `second` parts."""
    count = 0
    for cell, place in enumerate(mapping):
        others = [cell + columns] if cell + columns < len(mapping) else []
        if (cell + 1) % columns:
            others.append(cell + 1)
        count += sum(first(place) == first(mapping[other]) and second(place) != second(mapping[other])
                     for other in others)
    return count


class Answers(unittest.TestCase):
    def test_json_is_the_levels_and_the_place_of_each_rank(self):
        told = run_json(*PAPER)
        self.assertEqual(list(told), ["levels", "mapping"])
        self.assertEqual([level["level"] for level in told["levels"]], ["node", "package"])
        node, package = told["levels"]
        self.assertEqual(list(node), ["level", "cut_sum", "cut_max", "bound_sum", "bound_max", "gap_sum", "gap_max", "edges_sum",
                                      "edges_max", "launchers"])
        self.assertEqual((node["cut_sum"], node["cut_max"], node["bound_sum"], node["bound_max"]), (41, 9, 41, 9))
        self.assertEqual(sorted(told["mapping"]), list(range(80)))
        self.assertEqual(crossing(told["mapping"], lambda _: 0, lambda place: place // 8), node["cut_sum"])
        self.assertEqual(crossing(told["mapping"], lambda place: place // 8, lambda place: place // 4),
                         package["cut_sum"])

    def test_json_has_gaps_and_what_launchers_would_cut(self):
        node, package = run_json(*PAPER)["levels"]
        self.assertEqual((node["gap_sum"], node["gap_max"]), (0, 0))
        self.assertEqual((package["gap_sum"], package["gap_max"]), (round(package["cut_sum"] / package["bound_sum"] - 1, 6), 0.5))
        for level, figures in ((node, ((69, 17), (139, 28), (69, 17))), (package, ((10, 1), (0, 0), (70, 7)))):
            self.assertEqual(list(level["launchers"]), ["sequential", "round robin", "block:cyclic"])
            self.assertEqual(tuple((one["cut_sum"], one["cut_max"]) for one in level["launchers"].values()), figures)
        weighted = run_json(*PAPER, "--halo", "3,3")["levels"][0]
        self.assertEqual((weighted["cut_sum"], weighted["edges_sum"], weighted["edges_max"]), (123, 41, 9))
        self.assertEqual(weighted["launchers"]["sequential"], {"cut_sum": 207, "cut_max": 51, "edges_sum": 69, "edges_max": 17})
        one = run_json("place", "--grid", "4x2", "--node-topology", "core:8")["levels"][0]
        self.assertEqual((one["cut_sum"], one["gap_sum"]), (0, 0))
        ring = run_json("place", "--grid", "2", "--periodic", "--nodes", 2, "--node-topology", "core:1")["levels"][0]
        self.assertEqual((ring["edges_sum"], ring["edges_max"]), (2, 2))

    def test_time_is_told_beside_its_bound_and_the_launchers(self):
        words = (*PAPER, "--objective", "time", "--cost", "node=2,package=1")
        told = run_json(*words)
        self.assertEqual(list(told), ["levels", "mapping", "time"])
        ours, time = [level["cut_max"] for level in told["levels"]], told["time"]
        self.assertEqual(time["ours"], 2 * ours[0] + ours[1])
        self.assertEqual(time["launchers"], {"sequential": 35, "round robin": 56, "block:cyclic": 41})
        self.assertLessEqual(2 * 9, time["bound"])
        self.assertLessEqual(time["bound"], time["ours"])
        self.assertEqual(time["gap"], round(time["ours"] / time["bound"] - 1, 6))
        self.assertNotIn("time", run_json(*PAPER))
        self.assertRegex(" ".join(run(*words).stdout.split()), r"Time, the worst of each level times its cost: ours \d+, at least [\d.]+ "
                         r"\(\+[\d.]+ %\), sequential 35, round robin 56, block:cyclic 41\.")

    def test_levels_of_no_cost_are_told(self):
        timed = (*PAPER, "--objective", "time")
        for words, code, part in ((("--cost", "node=0,package=0"), 1, "no level costs anything, so all mappings take the same time"),
                                  (("--cost", "node=1e-300,package=1"), 2, "--cost takes 0, or numbers from 1e-9 to 1e9")):
            done = run(*timed, *words)
            self.assertEqual((done.returncode, part in done.stderr), (code, True), done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            costs = Path(folder, "costs.json")
            costs.write_text(json.dumps({"bytes": [8], "costs": [{"apart": ["node"], "ns": [100]}, {"apart": ["package"], "ns": [200]},
                                                                 {"apart": ["l2"], "ns": [300]}]}), encoding="utf-8")
            done = run(*timed, "--costs-from", costs)
            self.assertEqual(done.returncode, 1)
            self.assertIn("crossing level node takes no longer than staying inside all levels, so it costs nothing", done.stderr)
            done = run(*timed, "--costs-from", costs, "--cost", "package=1", "--json")
            self.assertEqual((done.returncode, done.stderr.count("costs nothing")), (0, 1))
            told = json.loads(done.stdout)
            self.assertEqual((told["time"]["ours"], told["levels"][1]["cut_max"]), (0, 0))
            self.assertLess(told["levels"][0]["cut_max"], 18)

    def test_request_for_fewer_exchanges_between_packages_is_kept(self):
        levels = run_json(*PAPER, "--at-most", "package=2")["levels"]
        self.assertEqual([(level["cut_sum"], level["cut_max"]) for level in levels], [(43, 10), (20, 2)])
        levels = run_json(*PAPER, "--objective", "time", "--cost", "node=2,package=3")["levels"]
        self.assertEqual([level["cut_max"] for level in levels], [10, 2])

    def test_request_is_kept_for_unequal_threads_where_a_launcher_keeps_it(self):
        words = ("place", "--grid", "5x16", "--threads", "79*1,2", "--nodes", 10, "--node-topology", "pack:2 core:5")
        done = run(*words, "--at-most", "package=0", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        levels = json.loads(done.stdout)["levels"]
        self.assertEqual(levels[1]["cut_max"], 0)
        self.assertGreater(levels[0]["cut_max"], run_json(*words)["levels"][0]["cut_max"])
        time = run_json(*words, "--objective", "time", "--cost", "node=1,package=50")["time"]
        self.assertLessEqual(time["ours"], min(time["launchers"].values()))

    def test_request_that_cannot_be_kept_is_told_beside_the_best_answer(self):
        done = run(*PAPER, "--at-most", "node=8", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn('"cut_max": 9', done.stdout)
        self.assertIn("at most 8 at level node; this one has 9, and none can have less than 9", done.stderr)
        self.assertEqual(json.loads(done.stdout)["at_most"], [{"level": "node", "limit": 8, "cut_max": 9, "kept": False}])

    def test_request_is_kept_by_either_objective_as_well_as_by_the_other(self):
        words = (*PAPER, "--at-most", "package=1", "--json")
        worst, total = (json.loads(run(*words, "--objective", aim).stdout)["levels"][0] for aim in ("worst", "sum"))
        self.assertLessEqual(total["cut_sum"], worst["cut_sum"])
        self.assertLessEqual(worst["cut_max"], total["cut_max"])

    def test_packages_of_one_core_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = Path(folder, "pairs")
            graph.write_text("ranks 4\n0 1 9\n2 3 9\n", encoding="utf-8")
            told = run_json("place", "--graph", graph, "--node-topology", "pack:2 core:1", "--node-topology", "pack:2 core:2",
                            "--at-most", "package=0", "--partitioner", "none")
            self.assertEqual((told["mapping"][0] // 2, told["mapping"][2] // 2), (told["mapping"][1] // 2, told["mapping"][3] // 2))
            self.assertNotIn(0, (told["mapping"][0] // 2, told["mapping"][2] // 2))  # whose two cores are two packages
            self.assertEqual([one["cut_max"] for one in told["levels"]], [0, 0])
            graph.write_text("ranks 6\n0 1 9\n2 3 9\n4 5 9\n", encoding="utf-8")
            done = run("place", "--graph", graph, "--nodes", 2, "--node-topology", "pack:2 core:2", "--without", "1=1,3", "--at-most", "package=0",
                       "--json")
            node, package = json.loads(done.stdout)["levels"]
            self.assertEqual((done.returncode, node["cut_sum"], package["cut_sum"]), (0, 18, 0))
            self.assertEqual(package["launchers"]["block:cyclic"]["cut_sum"], 27)
        one = ("--nodes", 2, "--node-topology", "pack:4 core:1")
        self.assertEqual(run("place", "--grid", "8", *one, "--at-most", "package=3").returncode, 0)
        self.assertEqual(run_json("place", "--grid", "8", *one, "--objective", "time", "--cost", "package=0.5")["levels"][1]["cut_sum"], 6)
        self.assertEqual(run("place", "--grid", "8", *one, "--threads", 1, "--thread-placement", "spread").returncode, 1)

    def test_json_tells_which_requests_are_kept(self):
        told = run_json("place", "--grid", "4x2", "--nodes", 2, "--node-topology", "pack:2 core:2", "--at-most", "package=2")
        self.assertEqual(told["at_most"], [{"level": "package", "limit": 2, "cut_max": 2, "kept": True}])
        self.assertNotIn("at_most", run_json("place", "--grid", "4x2", "--node-topology", "core:8"))

    def test_ring_has_more_exchanges_than_a_row(self):
        for words, most in (((), 60), (("1,1",), 60), (("0,0",), 41)):
            self.assertEqual(run_json(*PAPER, "--periodic", *words)["levels"][0]["cut_sum"], most, words)

    def test_rank_with_threads_takes_as_many_cores(self):
        told = run_json("place", "--grid", "2x5", "--threads", 8, "--halo", "32,25", *TEN)
        self.assertEqual(sorted(told["mapping"]), [8 * node for node in range(10)])
        self.assertEqual(told["levels"][0]["cut_max"], 82)

    def test_diagonals_go_through_rings_of_one_cell(self):
        for rings, ways in (("0,0,0", 1), ("0,1,0", 1 + 2 * 4), ("0,1,1", 1 + 8 * 4)):
            node, = run_json("place", "--grid", "6x1x1", "--periodic", rings, "--diagonal", 4, "--nodes", 2, "--node-topology", "core:3")["levels"]
            self.assertEqual((node["cut_sum"], node["bound_sum"] <= ways), (ways, True))

    def places(self, topology, *words, **environment):
        return sorted(run_json("place", "--node-topology", topology, *words, **environment)["mapping"])

    def test_ranks_lie_across_domains_where_the_job_does_not_fit_inside_them(self):
        self.assertEqual(self.places("l3:4 core:6", "--grid", 6, "--threads", 4), [0, 4, 8, 12, 16, 20])
        self.assertEqual(self.places("l3:4 core:6", "--grid", 4, "--threads", 4), [0, 6, 12, 18])
        self.assertEqual(self.places("l3:8 core:3", "--grid", 12, "--threads", 2), list(range(0, 24, 2)))
        self.assertEqual(self.places("pack:2 l3:2 core:5", "--grid", 5, "--threads", 4), [0, 4, 8, 12, 16])
        self.assertEqual(self.places("pack:2 l3:2 core:6", "--grid", 6, "--threads", 4), [0, 4, 8, 12, 16, 20])
        self.assertEqual(self.places("pack:2 l3:3 core:3", "--grid", 8, "--threads", 2), [0, 2, 4, 6, 9, 11, 13, 15],
                         "inside packages")
        self.assertIn("7 ranks do not fit: the nodes have room for 6",
                      run("place", "--grid", 7, "--threads", 4, "--node-topology", "l3:4 core:6").stderr)

    def test_slots_are_ranks_on_any_cores_of_the_node(self):
        for topology, threads, hosts, places in (("pack:2 core:4", 3, "n1:2", [0, 4]), ("pack:2 core:8", 5, "n1:2", [0, 8]),
                                                 ("pack:2 core:4", 3, "n1:1,n2:2", [0, 8, 12])):
            job = ("--grid", len(places), "--threads", threads, "--hosts", hosts)
            self.assertEqual(self.places(topology, *job), places)
            done = run("place", "--node-topology", topology, "--grid", len(places) + 1, *job[2:])
            self.assertIn(f"{len(places) + 1} ranks do not fit: the nodes have room for {len(places)}", done.stderr)

    def test_ranks_may_have_unequal_numbers_of_threads(self):
        told = run_json("place", "--grid", "2x2", "--threads", "2*4,2*2", "--nodes", 2, "--node-topology", "pack:2 core:4")
        taken = [core for place, threads in zip(told["mapping"], (4, 4, 2, 2)) for core in range(place, place + threads)]
        self.assertEqual(len(set(taken)), 12)
        self.assertEqual(told["levels"][0]["cut_sum"], 2)
        text = run("place", "--grid", "2x2", "--threads", "2*4,2*2", "--nodes", 2, "--node-topology", "pack:2 core:4").stdout
        self.assertIn("on 2 nodes; 12 threads, 4 cores left empty", text)
        same = ("--grid", "2x2", "--nodes", 2, "--node-topology", "core:4")
        self.assertEqual(run("place", *same, "--threads", "2,2,2,2").stdout, run("place", *same, "--threads", "2").stdout)

    def test_text_names_every_launcher_and_what_is_proven(self):
        text = run(*PAPER).stdout
        self.assertIn("80 ranks as 5x16 with 139 exchanges, on 10 nodes", text)
        self.assertRegex(text, r"(?m)^  node +ours +41 +9$")
        self.assertRegex(text, r"(?m)^ +sequential +69 +17$")
        self.assertRegex(text, r"(?m)^ +round robin +139 +28$")
        self.assertRegex(text, r"(?m)^ +block:cyclic +70 +7$")
        self.assertRegex(text, r"(?m)^  node +41 +41 +optimal +9 +9 +optimal$")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_weights_and_exchanges_are_told_apart(self):
        text = run("place", "--grid", "2x5", "--threads", 8, "--halo", "32,25", *TEN).stdout
        self.assertRegex(text, r"(?m)^  node +ours +360 +82 +13 +3$")

    def test_places_left_over_are_told(self):
        told = run("place", "--grid", "3x4", "--nodes", 2, "--node-topology", "core:8")
        self.assertIn("4 places left empty", told.stdout)

    def test_unequal_nodes_lack_the_cores_that_are_taken_out(self):
        nodes = ("--node-topology", "2*pack:2 core:4", "--node-topology", "3*core:2", "--without", "1=0,4", "--without", "4=1")
        told = run_json("place", "--grid", "19", *nodes)
        self.assertEqual(sorted(told["mapping"]), list(range(19)))
        self.assertEqual(run("place", "--grid", "20", *nodes).returncode, 1)

    def test_this_machine_is_the_node_unless_another_is_named(self):
        told = run_json("place", "--grid", "6", "--nodes", 2, HWLOC_SYNTHETIC="package:3 core:1 pu:2")
        self.assertEqual(told["levels"][0]["cut_sum"], 1)


class DescribedMachines(unittest.TestCase):
    """--node-xml, with tests/data/machines."""
    PACKAGES = os.path.join(MACHINES, "e5-2670.xml")  # 2 packages of 8 cores; even CPUs in package 0, odd ones in package 1
    LAPTOP = os.path.join(MACHINES, "laptop-smt.xml")  # 4 cores; core n has CPUs n and n + 4

    def bound(self, *words):
        """Of the written launch on one node the CPUs of each rank, and its place."""
        with tempfile.TemporaryDirectory() as folder:
            done = run("place", *words, "--hosts", "n1", "--output", "mpich", "--to", folder, "--json", "--", "./app")
            self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        return told["mapping"], told["launch"]["line"].split("-bind-to user:")[1].split()[0].split(",")

    def test_ranks_are_bound_to_the_cpus_that_the_file_has(self):
        mapping, cpus = self.bound("--grid", "4x4", "--node-xml", self.PACKAGES)
        self.assertEqual(sorted(mapping), list(range(16)))
        self.assertEqual(cpus, [str(2 * core if core < 8 else 2 * core - 15) for core in mapping])
        mapping, cpus = self.bound("--grid", "4", "--node-xml", self.LAPTOP)
        self.assertEqual(cpus, [f"{core}+{core + 4}" for core in mapping])

    def test_levels_are_those_of_the_file(self):
        told = run_json("place", "--grid", "8x4", "--nodes", 2, "--node-xml", self.PACKAGES)
        self.assertEqual([level["level"] for level in told["levels"]], ["node", "package"])
        self.assertEqual([level["cut_sum"] for level in told["levels"]], [4, 8])

    def test_files_are_counted_and_stand_behind_the_topologies(self):
        unequal = ("--node-xml", "2*" + self.PACKAGES, "--node-xml", self.LAPTOP, "--node-topology", "core:2")
        told = run_json("place", "--grid", 38, *unequal)
        self.assertEqual(sorted(told["mapping"]), list(range(38)))
        self.assertEqual(run("place", "--grid", 39, *unequal).returncode, 1)
        self.assertEqual(run("place", "--grid", 36, *unequal, "--without", "1=0,15").returncode, 0)
        self.assertIn("core 2 cannot be left out", run("place", "--grid", 4, *unequal, "--without", "0=2").stderr)
        self.assertEqual(len(run_json("place", "--grid", 8, "--hosts", "a,b", "--node-xml", self.LAPTOP)["mapping"]), 8)

    def test_file_without_sense_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as broken:
            broken.write("<topology><object type=")
            broken.flush()
            for file, code, parts in (("/absent.xml", 1, ("/absent.xml", "--node-xml")), (broken.name, 1, (broken.name, "no topology in XML")),
                                      ("2*", 2, ("--node-xml names no machine",)), ("0*" + self.LAPTOP, 2, ("--node-xml takes 1 to",)),
                                      ("x*" + self.LAPTOP, 2, ("--node-xml takes 1 to",))):
                done = run("place", "--grid", 4, "--node-xml", file)
                self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
                for part in parts:
                    self.assertIn(part, done.stderr)
        done = run("place", "--grid", 4, "--node-xml", "2*" + self.LAPTOP, "--nodes", 2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("counts nodes of one kind", done.stderr)


class Graphs(unittest.TestCase):
    def place(self, text, *words):
        with tempfile.NamedTemporaryFile("w", suffix=".graph") as file:
            file.write(text)
            file.flush()
            return run("place", "--graph", file.name, *words, "--json")

    def test_graph_of_a_file_is_placed(self):
        done = self.place("ranks 4\n0 2 9\n1 3 9\n0 1\n", "--nodes", 2, "--node-topology", "core:2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"cut_sum": 1,', done.stdout)

    def test_traffic_of_a_record_is_placed(self):
        done = self.place(TRAFFIC + "0,2,1,90,1,90,0,0,0,0\n1,3,1,90,1,90,0,0,0,0\n0,1,1,7,1,7,0,0,0,0\n2,-3,1,13,0,0,0,0,0,0\n",
                          "--nodes", 2, "--node-topology", "core:2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "comity place: --graph: 13 of 200 bytes went to ranks that the table does not tell apart\n")
        self.assertIn('"cut_sum": 7,', done.stdout)

    def test_all_of_a_chain_is_proven(self):
        """Neither a surface tells anything of it, nor the exact search, which wants full nodes that are alike."""
        chain = "ranks 33\n" + "".join(f"{rank} {rank + 1}\n" for rank in range(32))
        left = ("--nodes", 3, "--node-topology", "core:16")
        full = ("--node-topology", "2*core:16", "--node-topology", "core:1")
        for words in (full, left, (*left, "--threads", "32*1,2")):
            done = self.place(chain, *words, "--objective", "sum")
            self.assertEqual(done.returncode, 0, done.stderr)
            node = json.loads(done.stdout)["levels"][0]
            self.assertEqual((node["bound_sum"], node["cut_sum"], node["bound_max"], node["cut_max"]), (2, 2, 2, 2), words)

    def test_flows_prove_part_of_a_plane(self):
        """Nothing else tells anything of it: it is no grid to the command, has too many edges for a tree, and too many ranks to try all."""
        edges = [(12 * i + j, 12 * i + j + 1) for i in range(12) for j in range(11)]
        edges += [(12 * i + j, 12 * i + j + 12) for i in range(11) for j in range(12)]
        plane = "ranks 144\n" + "".join(f"{one} {other}\n" for one, other in edges)
        for words in (("--nodes", 9), ("--nodes", 10), ("--nodes", 10, "--threads", "143*1,2")):
            done = self.place(plane, *words, "--node-topology", "core:16", "--objective", "sum")
            self.assertEqual(done.returncode, 0, done.stderr)
            node = json.loads(done.stdout)["levels"][0]
            self.assertGreaterEqual(node["bound_sum"], 38, words)
            self.assertLessEqual(node["cut_sum"], 56, words)

    def test_hub_proves_what_its_node_has_no_room_for(self):
        text = "ranks 40\n" + "".join(f"0 {rank} 10\n" for rank in range(1, 40))
        for words, least in ((("core:10",), 300), (("core:11", "--threads", "39*1,2"), 290)):
            node, = json.loads(self.place(text, "--nodes", 4, "--json", "--node-topology", *words).stdout)["levels"]
            self.assertEqual((node["cut_sum"], node["cut_max"], node["bound_sum"], node["bound_max"]), (least,) * 4)

    def test_line_without_sense_is_named(self):
        done = self.place("ranks 4\n0 4\n", "--nodes", 2, "--node-topology", "core:2")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(".graph, line 2: a rank of this graph is a number from 0 to 3", done.stderr)

    def test_file_that_cannot_be_read_is_named(self):
        for path in ("/absent.graph", "/"):
            done = run("place", "--graph", path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"read the graph {path}: it cannot be read", done.stderr)


class Pictures(unittest.TestCase):
    def test_picture_has_a_square_a_rank_and_a_line_for_each_exchange(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mapping.svg")
            self.assertEqual(run(*PAPER, "--svg", path).returncode, 0)
            tree = xml.parse(path)
        name = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(tree.findall(f".//{name}g")), 80)
        strokes = [line.get("stroke") for line in tree.findall(f".//{name}path")]
        self.assertEqual((strokes.count("#d33"), strokes.count("#26c"), strokes.count("#aaa")), (41, 24, 139 - 41 - 24))

    def lines(self, *words):
        """Ends and colours of all lines but the white ones inside blue ones."""
        with tempfile.NamedTemporaryFile(suffix=".svg") as picture:
            done = run("place", *words, "--svg", picture.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            paths = xml.parse(picture.name).findall(".//{http://www.w3.org/2000/svg}path")
        return [(path.get("d"), path.get("stroke")) for path in paths if path.get("stroke") != "#fff"]

    def test_exchanges_around_a_ring_leave_the_picture_at_both_ends(self):
        lines = self.lines("--grid", "3x4", "--periodic", "--node-topology", "core:12")
        self.assertEqual(len(lines), 24 - 7 + 2 * 7)
        self.assertEqual(sum("l-27 0" in way or "l27 0" in way for way, _ in lines), 2 * 3)

    def test_both_exchanges_of_a_ring_of_two_are_seen(self):
        for words, ways in ((("--grid", "2", "--periodic"), ["l-27 0", "l27 0", "l36 0"]),
                            (("--grid", "2x1", "--periodic", "1,0"), ["l0 -27", "l0 27", "l0 36"])):
            lines = self.lines(*words, "--nodes", 2, "--node-topology", "core:1")
            self.assertEqual(sorted("l" + way.split("l")[1] for way, _ in lines), ways)
            self.assertEqual({stroke for _, stroke in lines}, {"#d33"})
        lines = self.lines("--grid", "2x4", "--periodic", "--node-topology", "core:8")
        self.assertEqual(len(lines), len(set(lines)))
        self.assertEqual(len(lines), 4 + 2 * 4 + 6 + 2 * 2)
        lines = self.lines("--grid", "2x2", "--periodic", "--diagonal", 1, "--node-topology", "core:4")
        self.assertEqual(len(lines), len(set(lines)))

    def test_rows_and_ranks_of_unequal_width_are_drawn(self):
        strokes = [stroke for _, stroke in self.lines("--grid", "12", "--nodes", 2, "--node-topology", "pack:3 core:2")]
        self.assertEqual((strokes.count("#d33"), strokes.count("#26c")), (1, 4))
        strokes = [stroke for _, stroke in self.lines("--grid", "2x2", "--threads", "2*4,2*2", "--nodes", 2, "--node-topology",
                                                      "pack:2 core:4")]
        self.assertEqual(strokes.count("#d33"), 2)
        self.assertEqual(len(strokes), 4)

    def test_dimensions_of_one_cell_drop_out(self):
        flat = self.lines("--grid", "5x16", *TEN)
        for grid in ("1x5x16", "5x1x16", "5x16x1", "1x5x1x16"):
            self.assertEqual(len(self.lines("--grid", grid, *TEN)), len(flat), grid)
        for grid, way in (("1x1x8", "l36 0"), ("8x1x1", "l36 0"), ("8x1", "l0 36"), ("1x8", "l36 0")):
            self.assertEqual({"l" + path.split("l")[1] for path, _ in self.lines("--grid", grid, *TEN)}, {way}, grid)
        self.assertEqual(self.lines("--grid", "1x1x1", *TEN), [])

    def test_what_cannot_be_drawn_or_written_is_a_failure(self):
        for words, part in ((("--grid", "4x2x2", "--svg", "/dev/null"), "one or two dimensions"),
                            (("--grid", "5x3", "--svg", "/absent/mapping.svg"), "/absent/mapping.svg")):
            done = run("place", *words, *TEN)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(part, done.stderr)


class Outlines(unittest.TestCase):
    """--svg of more than 20,000 ranks: a path a node."""

    def draw(self, *words):
        """The picture's width and height, its paths, its bytes, and the answer's JSON."""
        with tempfile.NamedTemporaryFile(suffix=".svg") as picture:
            told = run_json("place", *words, "--svg", picture.name)
            text = Path(picture.name).read_text(encoding="ascii")
        tree = xml.fromstring(text)
        left, top, width, height = (int(one) for one in tree.get("viewBox").split())
        self.assertEqual((left, top), (-1, -1))
        paths = tree.findall("{http://www.w3.org/2000/svg}path")
        self.assertEqual(len(paths), len(list(tree)))
        return width - 2, height - 2, [path.get("d") for path in paths], len(text), told

    def around(self, path, width, height):
        """What the rings of a path enclose, in cells, and how long they are; none leaves the picture."""
        area = length = 0
        for ring in path.split("z")[:-1]:
            start, *steps = re.split("(?=[hv])", ring)
            x, y = (int(one) for one in start[1:].split())
            begin = (x, y)
            for way, steps_on in [(step[0], int(step[1:])) for step in steps] + [("", 0)]:
                across = steps_on if way == "h" else 0 if way else begin[0] - x
                down = steps_on if way == "v" else 0 if way else begin[1] - y
                self.assertTrue(across == 0 or down == 0, path)
                area -= across * y
                x, y, length = x + across, y + down, length + abs(across) + abs(down)
                self.assertTrue(0 <= x <= width and 0 <= y <= height, path)
        return area, length

    def test_many_ranks_are_drawn_as_the_outlines_of_their_nodes(self):
        width, height, paths, size, told = self.draw("--grid", "142x142", "--nodes", 142, "--node-topology", "core:142")
        self.assertEqual((width, height, len(paths)), (142, 142, 142))
        around = [self.around(path, width, height) for path in paths]
        self.assertEqual({area for area, _ in around}, {142})
        # What is between two nodes both have in their outlines; each exchange goes over one side of a cell.
        self.assertEqual(sum(length for _, length in around), 2 * told["levels"][0]["cut_sum"] + 2 * (142 + 142))
        self.assertLess(size, 142 * 1000)
        self.assertEqual(self.draw("--grid", "142x1x142", "--nodes", 142, "--node-topology", "core:142")[:2], (142, 142))

    def test_a_row_of_many_ranks_is_drawn_too(self):
        width, height, paths, _, _ = self.draw("--grid", 20001, "--nodes", 201, "--node-topology", "core:100")
        self.assertEqual((width, height, len(paths)), (20001, 1, 201))
        self.assertEqual(sum(self.around(path, width, height)[0] for path in paths), 20001)

    def test_a_picture_of_any_number_of_ranks_is_bounded(self):
        width, height, paths, size, _ = self.draw("--grid", "3000x400", "--nodes", 12000, "--node-topology", "core:100")
        self.assertEqual((width, height), (200, 1500), "one cell in place of four")
        self.assertEqual(sum(self.around(path, width, height)[0] for path in paths), 200 * 1500)
        self.assertLessEqual(len(paths), 12000)
        self.assertLess(size, 2_000_000)


class Launchers(unittest.TestCase):
    """The files and the line; what each launcher makes of them is place_launch_test's, as far as it is here."""

    def write(self, launcher, *words, **variables):
        with tempfile.TemporaryDirectory() as folder:
            done = run("place", "--grid", "2x2", "--node-topology", "pack:2 core:2", "--output", launcher,
                       "--to", os.path.join(folder, "made"), *words, **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = {path.name: path.read_text(encoding="ascii") for path in Path(folder, "made").iterdir()}
        return done.stdout.replace(folder, "DIR"), files

    def test_files_are_written_and_the_line_is_printed(self):
        said, files = self.write("openmpi4", "--hosts", "n1", "--", "./solver", "in put")
        self.assertEqual(list(files), ["rankfile"])
        self.assertEqual(sorted(line.split("slot=")[1] for line in files["rankfile"].splitlines()),
                         ["0:0", "0:1", "1:0", "1:1"])
        self.assertIn("mpirun -n 4 --rankfile DIR/made/rankfile ./solver 'in put'\n", said)

    def test_open_mpi_5_is_told_numbers_of_hardware_threads_where_the_first_core_has_one(self):
        text = Path(DescribedMachines.LAPTOP).read_text(encoding="ascii")
        for allowed, slots in (("0x000000ef", ["0", "1-2", "3-4"]), ("0x000000df", ["0", "1", "2"])):  # core n has CPUs n and n + 4
            with tempfile.TemporaryDirectory() as folder:
                part = Path(folder, "part.xml")
                part.write_text(text.replace('allowed_cpuset="0x000000ff"', f'allowed_cpuset="{allowed}"', 1), encoding="ascii")
                run_json("place", "--grid", 3, "--node-xml", part, "--output", "openmpi5", "--to", folder)
                lines = Path(folder, "rankfile").read_text(encoding="ascii").splitlines()
            self.assertEqual(sorted(line.split("slot=")[1] for line in lines), slots)

    def test_hosts_count_the_nodes(self):
        with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
            hosts.write("n1 slots=2\nn2 slots=2\n")
            hosts.flush()
            _, files = self.write("slurm", "--hosts", hosts.name)
        self.assertEqual(sorted(files["hosts"].split()), ["n1", "n1", "n2", "n2"])

    def test_cores_that_others_have_are_left_out_by_host(self):
        _, files = self.write("openmpi4", "--hosts", "n1,n2", "--without", "n1=0,1,2", "--without", "n2=0")
        self.assertEqual(files["rankfile"].count("n1 slot=1:1\n"), 1)
        self.assertEqual(files["rankfile"].count("n1"), 1)
        self.check_refused(2, "with the node's number or its host", "--hosts", "n1,n2", "--without", "n3=0")

    def test_host_whose_cores_are_left_out_is_one_alone(self):
        hosts = ("--hosts", "n1.a,n1.b,n2.b")
        self.check_refused(2, "--without: n1 may be n1.a or n1.b; write its whole name", *hosts, "--without", "n1=0")
        one_each = ("--without", "n1.a=1,2,3", "--without", "n1.b=0,1,2")
        for name in ("n2", "n2.b"):
            with self.subTest(name):
                _, files = self.write("openmpi4", *hosts, *one_each, "--without", f"{name}=0,3")
                self.assertEqual(sorted(line.split("=", 1)[1] for line in files["rankfile"].splitlines()),
                                 ["n1.a slot=0:0", "n1.b slot=1:1", "n2.b slot=0:1", "n2.b slot=1:0"])

    def test_allocation_names_the_hosts(self):
        _, files = self.write("mpich", SLURM_JOB_NODELIST="c[07]")
        self.assertEqual(files["hosts"], "c07:4\n")
        self.check_refused(1, "n1, which is not in this job's allocation", "--hosts", "n1", SLURM_JOB_NODELIST="c[07]")
        self.check_refused(1, "the list of hosts has 2, but the nodes are 3", "--nodes", "3", "--hosts", "a,b")

    def test_allocation_is_planned_for_unless_words_count_the_nodes(self):
        job = {"SLURM_JOB_NODELIST": "n[1-4]"}
        node, four = ("--node-topology", "core:2"), ("--nodes", 4)
        told = run_json("place", "--grid", "2x4", *node, **job)
        self.assertEqual(told, run_json("place", "--grid", "2x4", *node, *four))
        for words, cores in ((("--nodes", 3, *node), 6), (("--node-topology", "3*core:2"), 6), ((*node, *node, *node), 6),
                             (("--torus", "3", *node), 6), (node, 8)):
            self.assertIn(f"the nodes have room for {cores}", run("place", "--grid", 9, *words, **job).stderr)
        self.check_refused(1, "the list of hosts has 4, but the nodes are 3", "--nodes", 3, **job)

    def test_cpus_and_tasks_of_slurm_are_as_many_ranks(self):
        job = {"SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_CPUS_PER_NODE": "1,4", "SLURM_TASKS_PER_NODE": "1,3", "SLURM_NTASKS": "4"}
        _, files = self.write("slurm", **job)
        self.assertEqual(sorted(files["hosts"].split()), ["n1", "n2", "n2", "n2"])
        self.check_refused(1, "this job has 1 CPU there (SLURM_JOB_NODELIST)", "--hosts", "n1:2,n2", **job)
        self.check_refused(1, 'as in 4(x2),8, not "4(y2)"', **{**job, "SLURM_JOB_CPUS_PER_NODE": "4(y2)"})

    def test_tasks_and_slots_of_a_job_with_threads_are_ranks_on_any_of_its_cores(self):
        words = ("place", "--node-topology", "pack:2 core:8", "--grid", 2, "--threads", 5)
        slurm = {"SLURM_NTASKS": "2", "SLURM_TASKS_PER_NODE": "2", "SLURM_JOB_NODELIST": "n1"}
        with tempfile.TemporaryDirectory() as folder:
            launch = (*words, "--output", "slurm", "--to", folder)
            self.assertCountEqual(run_json(*launch, SLURM_JOB_CPUS_PER_NODE="16", **slurm)["mapping"], [0, 8])
            self.assertCountEqual(run_json(*launch, SLURM_JOB_CPUS_PER_NODE="10", **slurm)["mapping"], [0, 5], "of ten CPUs")
            with open(os.path.join(folder, "nodes"), "w") as nodes:
                nodes.write("n1\nn1\n")
            self.assertCountEqual(run_json(*words, "--output", "mpich", "--to", folder, PBS_NODEFILE=nodes.name)["mapping"], [0, 8])

    def test_slots_of_pbs_are_as_many_ranks(self):
        with tempfile.NamedTemporaryFile("w", suffix=".nodes") as nodes:
            nodes.write("n1\nn2\nn1\nn1\n")
            nodes.flush()
            for hosts in ((), ("--hosts", "n2,n1")):
                _, files = self.write("slurm", *hosts, PBS_NODEFILE=nodes.name)
                self.assertEqual(sorted(files["hosts"].split()), ["n1", "n1", "n1", "n2"])
            self.check_refused(1, "this job has 1 there (PBS_NODEFILE)", "--hosts", "n1,n2:3", PBS_NODEFILE=nodes.name)

    def check_refused(self, code, part, *words, **variables):
        done = run("place", "--grid", "4", *words, "--output", "slurm", "--to", "/absent/made", **variables)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(part, done.stderr)

    def test_launch_that_cannot_be_written_is_refused(self):
        two = ("--node-topology", "core:2", "--nodes", "2")
        self.check_refused(2, "needs the names of the hosts", *two)
        self.check_refused(1, "read the hosts /absent/hosts: it cannot be read; check --hosts", *two, "--hosts",
                           "/absent/hosts")
        self.check_refused(1, "--hosts: \"a;b\" is no name of a host", *two, "--hosts", "a;b")
        self.check_refused(2, "together or spread", "--thread-placement", "sprad")

    def test_wrapper_gives_each_rank_its_threads_and_places(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("place", "--grid", "2", "--threads", "2", "--thread-placement", "spread", "--node-topology",
                       "pack:2 core:2", "--output", "mpich", "--to", folder, "--json", "--", "./app")
            told = json.loads(done.stdout)
            wrapper = os.path.join(folder, "comity-rank")
            self.assertEqual(told["mapping"], [0, 1])
            self.assertIn(f"-bind-to user:0+2,1+3 {wrapper} ./app", told["launch"]["line"])
            ends = [subprocess.run([wrapper, "sh", "-c", 'echo "$OMP_NUM_THREADS $OMP_PLACES $OMP_PROC_BIND"'],
                                   env={"PATH": os.environ["PATH"], **rank}, capture_output=True, text=True, check=False)
                    for rank in ({"PMI_RANK": "1"}, {"PMI_RANK": "2"}, {})]
        self.assertEqual(ends[0].stdout, "2 {1},{3} close\n")
        self.assertNotEqual(ends[1].returncode, 0)
        self.assertIn("there is no rank 2 in the plan of 2", ends[1].stderr)
        self.assertIn("this variable is not set; start it with the launcher", ends[2].stderr)

    def test_spread_ranks_of_unequal_width_have_as_many_cores_of_each_package(self):
        with tempfile.TemporaryDirectory() as folder:
            told = json.loads(run("place", "--grid", "3", "--threads", "2,4,2", "--thread-placement", "spread", "--hosts", "n1,n2:2",
                                  "--node-topology", "pack:2 core:3", "--output", "openmpi4", "--to", folder, "--json").stdout)
            rankfile = Path(folder, "rankfile").read_text(encoding="ascii").splitlines()
        self.assertEqual([level["level"] for level in told["levels"]], ["node"])
        self.assertEqual(sum(line.count("n2 ") for line in rankfile), 1, "which has room for two threads")
        for line, threads in zip(rankfile, (2, 4, 2)):
            ends = [part.split(":")[1].split("-") for part in line.split("slot=")[1].split(",")]
            self.assertEqual([int(end[-1]) - int(end[0]) + 1 for end in ends], 2 * [threads // 2], line)

    def test_one_list_of_masks_or_the_wrapper_binds(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = {grid: run_json("place", "--grid", grid, "--hosts", "n[01-10]", "--node-topology", "pack:2 core:4", "--output", "slurm",
                                    "--to", folder)["launch"]["line"] for grid in ("8x10", "5x16")}
        self.assertIn(" --cpu-bind=mask_cpu:0x10,0x20,0x40,0x80,0x1,0x2,0x4,0x8 ./app", lines["8x10"])
        self.assertIn(f" --cpu-bind=none {folder}/comity-rank ./app", lines["5x16"])

    def test_time_that_a_launch_line_has_is_in_the_help(self):
        page = " ".join(run("help", "place").stdout.split())
        self.assertIn("with a probe in the program's place, for 120 s at most", page)
        self.assertIn("measures in the program's place, for 300 s at most", page)

    def test_first_touch_is_told_with_the_plan(self):
        words = ("place", "--grid", "2", "--node-topology", "pack:2 [numa] core:2")
        near = "A page of memory lies next to the core that writes it first"
        far = "2 of 2 ranks have threads at several NUMA nodes"
        for more, told in (((), ()), (("--threads", 2), (near,)), (("--threads", 2, "--thread-placement", "spread"), (near, far))):
            text, notes = " ".join(run(*words, *more).stdout.split()), run_json(*words, *more).get("notes", [])
            self.assertEqual(len(notes), len(told))
            for sentence, note in zip(told, notes):
                self.assertIn(sentence, note)
            for sentence in (near, far):
                self.assertEqual(text.count(sentence), told.count(sentence), text)
        said, _ = self.write("mpich", "--threads", 2, "--hosts", "n1,n2")
        self.assertEqual(" ".join(said.split()).count(near), 1)

    def test_refused_plan_can_be_had_as_it_is_told(self):
        """144 ranks on 20 nodes of 8 cores go to all of them, unequally; 18 are full."""
        words = ("place", "--grid", "12x12", "--node-topology", "core:8")
        for launcher in ("cray", "aprun", "pals"):
            with tempfile.TemporaryDirectory() as folder:
                refused = run(*words, "--nodes", 20, "--output", launcher, "--to", folder)
                self.assertNotEqual(refused.returncode, 0)
                told = re.search("--hosts '(.*)'", refused.stderr)
                self.assertEqual(told and told[1], "n[1-18]:8", refused.stderr)
                done = run(*words, "--hosts", told[1], "--output", launcher, "--to", folder)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_untested_launchers_are_marked(self):
        for launcher in ("cray", "aprun", "pals"):
            said, _ = self.write(launcher)
            self.assertIn("Untested", said)


class Networks(unittest.TestCase):
    TREE = "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=top Switches=a,b\n"

    def place(self, text, *words):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(text)
            file.flush()
            return run("place", "--network", file.name, "--node-topology", "core:2", *words, "--json")

    def test_switches_come_before_nodes(self):
        told = json.loads(self.place(self.TREE, "--grid", "2x4").stdout)
        self.assertEqual([level["level"] for level in told["levels"]], ["switch", "node"])
        self.assertEqual([level["cut_sum"] for level in told["levels"]], [2, 4])
        self.assertEqual(sorted(told["mapping"]), list(range(8)))

    def test_nodes_keep_the_numbers_of_the_list_of_hosts(self):
        with tempfile.NamedTemporaryFile("w", suffix=".graph") as graph:
            graph.write("ranks 8\n0 2\n0 4\n2 4\n4 6\n6 0\n2 6\n1 3\n1 5\n1 7\n3 5\n5 7\n3 7\n")
            graph.flush()
            told = json.loads(self.place(self.TREE, "--graph", graph.name, "--hosts", "n1,n3,n2,n4").stdout)
        self.assertEqual(told["levels"][0]["cut_sum"], 0)  # even ranks at one switch, odd ones at the other
        side = [place // 2 % 2 for place in told["mapping"]]  # nodes 0 and 2 are at one switch
        self.assertEqual((len(set(side[0::2])), len(set(side[1::2])), len(set(side))), (1, 1, 2))

    def test_picture_shows_the_nodes_below_the_switches(self):
        with tempfile.NamedTemporaryFile(suffix=".svg") as picture:
            self.place(self.TREE, "--grid", "2x4", "--svg", picture.name)
            tree = xml.parse(picture.name)
        letters = [text.text for text in tree.findall(".//{http://www.w3.org/2000/svg}text")]
        self.assertEqual(sorted(letters), list("AABBCCDD"))
        strokes = [line.get("stroke") for line in tree.findall(".//{http://www.w3.org/2000/svg}path")]
        self.assertEqual(strokes.count("#d33"), 6)

    def test_network_may_be_json(self):
        text = json.dumps({"switches": [{"name": "a", "nodes": ["n1", "n2"]}, {"name": "b", "nodes": "n[3-4]"}]})
        self.assertEqual(json.loads(self.place(text, "--grid", "2x4").stdout)["levels"][0]["level"], "switch")
        told = json.loads(self.place('{"torus": [4, 4]}', "--grid", "4x8").stdout)
        self.assertEqual(told["levels"][0]["level"], "block")

    def test_torus_tells_how_far_exchanges_go(self):
        told = run_json("place", "--grid", "8x8", "--torus", "4x4", "--node-topology", "core:4")
        self.assertEqual([level["level"] for level in told["levels"]], ["block", "node"])
        self.assertLess(told["hops"]["ours"], told["hops"]["sequential"])
        text = run("place", "--grid", "8x8", "--torus", "4x4", "--node-topology", "core:4").stdout
        self.assertRegex(text, r"Links of the torus times what goes over them: ours \d+, sequential \d+; at least \d+ \((optimal|\+[\d.]+ %)\)\n")
        self.assertLessEqual(sum(level["bound_sum"] for level in told["levels"]), told["hops"]["bound"])
        self.assertLessEqual(told["hops"]["bound"], told["hops"]["ours"])

    def test_unequal_threads_go_over_no_more_links_than_in_order(self):
        words = ("place", "--torus", "4x4", "--node-topology", "core:4", "--objective", "sum")
        for grid, threads in (("40", "20*1,20*2"), ("5x8", "20*1,20*2"), ("30", "15*2,15*1")):
            hops = run_json(*words, "--grid", grid, "--threads", threads)["hops"]
            self.assertLessEqual(hops["ours"], hops["sequential"])
        tight = ("place", "--grid", "5", "--threads", "3,2,3,2,1", "--torus", "3", "--node-topology", "core:4")
        self.assertEqual(run_json(*tight)["hops"]["sequential"], None)
        self.assertRegex(run(*tight).stdout, r"ours \d+; the sequential order does not fit")

    def test_ranks_stay_where_a_torus_that_is_alike_has_them(self):
        words = ("place", "--grid", "4x4", "--periodic", "--torus", "4x4", "--node-topology", "core:1")
        for aim in ("worst", "hops"):
            self.assertEqual(run_json(*words, "--objective", aim)["hops"], {"ours": 32, "sequential": 32, "bound": 32, "gap": 0})
        done = run("place", "--grid", "4x4", "--nodes", 16, "--node-topology", "core:2", "--objective", "hops")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("name one with --torus", done.stderr)

    def test_fewest_links_are_found_for_unequal_threads_too(self):
        words = ("place", "--grid", "6x6", "--torus", "3x3", "--node-topology", "core:6", "--threads", "18*1,18*2")
        hops = {aim: run_json(*words, "--objective", aim)["hops"] for aim in ("sum", "hops")}
        self.assertLessEqual(hops["hops"]["ours"], hops["sum"]["ours"])
        self.assertLessEqual(hops["hops"]["bound"], hops["hops"]["ours"])

    def test_fewest_links_of_a_small_job_are_proven(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = Path(folder, "graph")
            graph.write_text("ranks 6\n0 2 2\n0 4 1\n1 3 1\n1 4 5\n2 3 5\n2 4 2\n4 5 5\n", encoding="utf-8")
            words = ("place", "--graph", graph, "--torus", "2x2", "--node-topology", "core:2", "--objective", "hops")
            hops = run_json(*words)["hops"]
            self.assertEqual((hops["ours"], hops["bound"], hops["gap"]), (12, 12, 0))
            self.assertIn("ours 12, ", run(*words).stdout)
            self.assertIn("at least 12 (optimal)", run(*words).stdout)

    def test_network_without_sense_is_named(self):
        for text, part in (("SwitchName=s1\n", "switch s1 has neither"), ("{", "this is no JSON"), ("{}", "a network is"),
                           ('{"torus": [4, -1]}', "an extent is"), ('{"switches": [{"nodes": "n1"}]}', "with a name"),
                           ('{"switches": [{"name": "a", "hosts": "n1"}]}', 'a switch has no "hosts"'),
                           ('{"switches": [{"name": "a", "nodes": 3}]}', "a text or a list"), ("", "tells of no switch"),
                           ("SwitchName=s1 Nodes=n1 nodes=n2\n", 'line 1: "nodes" stands there twice'),
                           ("SwitchName=s1 SwitchName=s2 Nodes=n1\n", 'line 1: "SwitchName" stands there twice'),
                           ("SwitchName=s1 Nodes=n1,n1\n", "line 1: n1 comes twice here"),
                           ("SwitchName=s1 Nodes=n1:4\n", "or has slots"),
                           ("SwitchName=s[1-2] Nodes=n1\n", '"s[1-2]" is no name of a switch'),
                           ('{"switches": [{"name": "", "nodes": "n1"}]}', '"" is no name of a switch'),
                           ('{"switches": [{"name": "a", "nodes": ["n1", "n1"]}]}', "n1 comes twice here"),
                           ('{"switches": [{"name": "a", "nodes": "n1", "nodes": "n2"}]}', '"nodes" stands twice in one object'),
                           ('{"torus": [4], "torus": [2, 2]}', '"torus" stands twice in one object'),
                           ('{"torus": [4], "hosts": "n[1-4]"}', "a network is"),
                           ('{"torus": []}', "a torus has 1 to 8 extents")):
            done = self.place(text, "--grid", "4")
            self.assertEqual((done.returncode, done.stdout), (1, ""), text)
            self.assertIn(part, done.stderr)
            self.assertIn(".conf", done.stderr)
        done = self.place(self.TREE, "--grid", "4", "--hosts", "n1,n9")
        self.assertIn("does not tell at which switch host n9 is", done.stderr)
        done = run("place", "--grid", "4", "--torus", "4x4", "--nodes", "3")
        self.assertIn("the torus has 16 nodes, but the job has 3", done.stderr)
        for words, part in ((("--torus", "4x"), "--torus takes"), (("--torus", "4", "--network", "f"), "give one of them")):
            done = run("place", "--grid", "4", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


class Refusals(unittest.TestCase):
    def check(self, code, part, *words):
        with self.subTest(words):
            done = run("place", *words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(part, done.stderr)

    def test_words_without_sense_are_bad_usage(self):
        self.check(2, "place needs a job")
        self.check(2, "give one of them", "--grid", "4", "--graph", "file")
        self.check(2, "give one of them", "--grid", "4", "--traffic", "folder")
        self.check(2, "are about a grid", "--traffic", "folder", "--periodic")
        self.check(2, 'not "5y5"', "--grid", "5y5", *TEN)
        self.check(2, 'not "-1"', "--grid", "4x-1", *TEN)
        self.check(2, "the grid has 2 dimensions", "--grid", "4x4", "--periodic", "1", *TEN)
        self.check(2, "--periodic takes 0 or 1", "--grid", "4x4", "--periodic", "1,2", *TEN)
        self.check(2, "--halo gives 3 numbers", "--grid", "4x4", "--halo", "1,2,3", *TEN)
        self.check(2, "--halo takes 1 to", "--grid", "4x4", "--halo", "1,0", *TEN)
        self.check(2, "--threads takes 1 to 4096", "--grid", "4", "--threads", 0, *TEN)
        self.check(2, "--nodes takes 1 to", "--grid", "4", "--nodes", 0)
        self.check(2, "did you mean worst?", "--grid", "4", "--objective", "wrost", *TEN)
        self.check(2, 'no level "pakage"; did you mean package?', "--grid", "4", "--at-most", "pakage=2", *TEN)
        self.check(2, "--at-most takes LEVEL=NUMBER", "--grid", "4", "--at-most", "package", *TEN)
        self.check(2, "only", "--grid", "4", "--cost", "node=2", *TEN)
        self.check(2, "the nodes are 0 to 9", "--grid", "4", "--without", "10=0", *TEN)
        self.check(2, "counts nodes of one kind", "--grid", "4", "--nodes", 2, "--node-topology", "2*core:2")
        self.check(2, "tells of 3 ranks, but there are 4", "--grid", "4", "--threads", "2,1,1", *TEN)
        self.check(1, "1 thread of a rank does not divide among the 2 domains of level package", "--grid", "2", "--threads", "2,1",
                   "--thread-placement", "spread", *TEN)
        self.check(1, "no node has room for rank 1 with 9 threads", "--grid", "2", "--threads", "2,9", *TEN)
        self.check(2, "go together", "--grid", "4", "--output", "slurm", *TEN)
        self.check(2, "did you mean slurm?", "--grid", "4", "--output", "slrum", "--to", "/absent", *TEN)
        self.check(2, "give one of them", "--grid", "4", "--output", "slurm", "--to", "/absent", "--verify", *TEN)
        self.check(2, "needs the launch line behind --", "--grid", "4", "--verify", *TEN)
        self.check(2, "a command is told for --output", "--grid", "4", *TEN, "--", "./app")
        self.check(2, "are about a grid", "--graph", "file", "--halo", "2")

    def test_option_that_would_do_nothing_is_refused(self):
        launch = ("--", "mpirun", "-n", "2", "{}")
        for option in (("--svg", "f"), ("--at-most", "node=1"), ("--objective", "sum"), ("--nodes", "2"), ("--threads", "2"), ("--node-topology", "core:2"),
                       ("--without", "0=1"), ("--partitioner", "none"), ("--cost", "node=2"), ("--periodic",), ("--graph", "f"), ("--message-bytes", "8")):
            self.check(2, f"--measure measures, and places nothing; leave {option[0]} out", "--measure", "/absent/f", *option, *launch)
        self.check(2, "leave --hosts out", "--measure", "/absent/f", "--hosts", "n1", *launch)
        self.check(2, "draw it in a command of its own", "--grid", "4", "--verify", "--svg", "f", *launch)
        for option in ("--at-most", "--cost"):
            self.check(2, f"{option} tells of level node twice", "--grid", "4", option, "node=2,package=1,node=3", "--objective", "time", *TEN)

    def test_missing_cores_are_a_list_that_is_not_empty(self):
        for word in ("3", "3=", "3=0x3", "3=0,", "3=2-1", "3=a"):
            self.check(2, f'--without takes NODE=CORES, as in 3=0,5-7, with the node\'s number or its host, not "{word}"', "--grid", "4",
                       "--without", word, *TEN)

    def test_long_words_are_told_in_part(self):
        long = 100_000 * "y"
        for words in (("--grid", long), ("--objective", long), ("--hosts", long), ("--without", long), ("--at-most", long), ("--output", long, "--to", "d"),
                      ("--at-most", long + "=1"), ("--partitioner", long), ("--thread-placement", long), ("--torus", long), ("--" + long,), (long,)):
            done = run("place", *(("--grid", "4") if words[0] != "--grid" else ()), *words)
            self.assertIn(done.returncode, (1, 2))
            self.assertRegex(done.stderr, "y{150,200}[.]{3}")
            self.assertLess(len(done.stderr), 1000)

    def test_jobs_that_cannot_be_placed_are_failures(self):
        self.check(1, "/absent", "--traffic", "/absent", *TEN)
        self.check(1, "dimension 1 has extent 0", "--grid", "0x5", *TEN)
        self.check(1, "81 ranks do not fit: the nodes have room for 80", "--grid", "81", *TEN)
        self.check(1, "room for a rank of 9 threads", "--grid", "4", "--threads", 9, *TEN)
        self.check(1, "1 to 4 dimensions", "--grid", "1x1x1x1x1", *TEN)
        self.check(1, "more than 16777216 cells", "--grid", "100000x100000", *TEN)
        self.check(1, "nonsense", "--grid", "4", "--node-topology", "nonsense:2")
        self.check(1, '"core:0": hwloc does not understand it', "--grid", "4", "--node-topology", "core:0")
        self.check(1, "core 8 cannot be left out", "--grid", "4", "--without", "2=8", *TEN)
        self.check(1, "no core of the node is left", "--grid", "4", "--without", "2=0-7", *TEN)


if __name__ == "__main__":
    unittest.main()
