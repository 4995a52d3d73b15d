# SPDX-License-Identifier: BSD-3-Clause
"""What `comity memory diff` and `comity report --svg` say of two runs whose memory is known (tests/memory/jobs/owners.c). Started by
ctest with COMMAND_UNDER_TEST, COMITY_LAUNCH (the launcher's words) and PROGRAM set."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import COMMAND, run  # noqa: E402  pylint: disable=wrong-import-position

MIB = 1 << 20
LAUNCH = os.environ["COMITY_LAUNCH"].split()
SHARES = 16 * MIB  # a rank's part of MPI's code, of which other jobs that begin or end give it less or more


def mpi_grew_by(rank):
    """By the ledger, since MPI_Init: without that part."""
    return sum(row["grown_bytes"] for row in rank["growth"] if row["component"] == "mpi" and not row["function"].startswith("MPI_Init"))


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = Path(cls.scratch.name)
        for name, options, word in (("plain", ("--memory",), "none"), ("windows", ("--memory",), "windows"), ("without", (), "none")):
            line = [COMMAND, "run", *options, "--record", str(cls.folder / name), "--", *LAUNCH, "-n", "2", os.environ["PROGRAM"], word]
            subprocess.run(line, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=50)

    def diff(self, *names):
        return run("memory", "diff", *(self.folder / name for name in names))

    def ranks_of(self, name):
        return json.loads(run("report", self.folder / name, "--json").stdout)["memory"]["ranks"]

    def mean_peak_of_mpi(self, name):
        ranks = self.ranks_of(name)
        return sum(rank["components"]["mpi"]["peak_bytes"] for rank in ranks) / len(ranks)

    def test_what_one_run_has_more_is_found_where_it_is(self):
        done = run("memory", "diff", self.folder / "plain", self.folder / "windows", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertEqual(told["ranks"], {"a": 2, "b": 2})
        of_mpi = told["components"]["mpi"]["peak_difference_bytes"]
        self.assertAlmostEqual(of_mpi, self.mean_peak_of_mpi("windows") - self.mean_peak_of_mpi("plain"), delta=1)
        self.assertAlmostEqual(of_mpi, 96 * MIB, delta=SHARES)
        for rank, other in zip(self.ranks_of("plain"), self.ranks_of("windows")):
            self.assertAlmostEqual(mpi_grew_by(other) - mpi_grew_by(rank), 96 * MIB, delta=2 * MIB)
        self.assertLess(abs(told["components"]["application"]["peak_difference_bytes"]), MIB)
        self.assertAlmostEqual(told["total"]["peak_difference_bytes"], 96 * MIB, delta=4 * MIB)
        self.assertEqual(next(iter(told["components"])), "mpi")
        back = json.loads(run("memory", "diff", self.folder / "windows", self.folder / "plain", "--json").stdout)
        self.assertEqual(back["components"]["mpi"]["peak_difference_bytes"], -told["components"]["mpi"]["peak_difference_bytes"])
        text = self.diff("plain", "windows").stdout
        self.assertRegex(text, r"A rank of B has at its peak 9\d\.\d\d MiB more than one of A .*most has changed in mpi")
        self.assertRegex(text, rf"\n  mpi +\d+\.\d\d .* {re.escape(f'+{of_mpi / MIB:.2f}')} ")

    def test_runs_are_shown_side_by_side(self):
        folders = (self.folder / "plain", self.folder / "windows")
        runs = json.loads(run("memory", "scaling", *folders, "--json").stdout)["runs"]
        self.assertEqual([told["run"] for told in runs], list(map(str, folders)))
        for told in runs:
            self.assertEqual((told["ranks"], told["nodes"], told["owners_known"]), (2, 1, True))
            self.assertRegex(told["mpi_library"], "MPI")
        grown = runs[1]["mpi"]["peak_mean_bytes"] - runs[0]["mpi"]["peak_mean_bytes"]
        self.assertAlmostEqual(grown, self.mean_peak_of_mpi("windows") - self.mean_peak_of_mpi("plain"), delta=1)
        self.assertAlmostEqual(runs[1]["node_with_mpi_bytes"], 2 * runs[1]["with_mpi"]["peak_mean_bytes"], delta=10)
        text = run("memory", "scaling", *folders).stdout.splitlines()
        self.assertEqual((len(text), len(text[2])), (4 + 2, len(text[1])))
        for told, line in zip(runs, text[4:]):
            self.assertTrue(told["node_with_mpi_is_bound"])
            self.assertGreater(told["node_with_mpi_at_one_moment_bytes"], 2 * MIB)
            self.assertLessEqual(told["node_with_mpi_at_one_moment_bytes"], told["node_with_mpi_bytes"])
            self.assertRegex(line, r": MPI/node is an upper bound, of what each component of a rank had at a moment of its own; samples saw \d+\.\d\d at one moment$")
        rows = run("memory", "scaling", *folders, "--csv").stdout.splitlines()
        self.assertEqual(len(rows), 3)
        self.assertEqual(rows[0].count(","), 3 + 8 + 2 + 3)
        self.assertTrue(rows[2].startswith(f'"{folders[1]}","'))
        done = run("memory", "diff", *folders, "--csv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--csv is an option of memory scaling", done.stderr)

    def test_runs_of_a_folder_are_shown_over_their_ranks_and_against_others(self):
        for series, name in (("trivial", "plain"), ("bench", "windows")):
            (self.folder / series).mkdir(exist_ok=True)
            place = self.folder / series / "np2"
            if not place.exists():
                place.symlink_to(self.folder / name)
        done = run("memory", "scaling", "--over", "ranks", self.folder / "trivial", self.folder / "bench", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertEqual([block["series"] for block in told["blocks"]], [str(self.folder / "trivial"), str(self.folder / "bench")])
        self.assertEqual([block["ranks"] for block in told["blocks"]], [[2], [2]])
        self.assertAlmostEqual(told["blocks"][0]["mpi"]["mean_bytes"][0], self.mean_peak_of_mpi("plain"), delta=1)
        against = json.loads(run("memory", "scaling", "--against", self.folder / "trivial", self.folder / "bench", "--json").stdout)
        grown = against["blocks"][0]["mpi"]["mean_bytes"][0]
        self.assertAlmostEqual(grown, self.mean_peak_of_mpi("windows") - self.mean_peak_of_mpi("plain"), delta=1)
        of_node = json.loads(run("memory", "scaling", "--over", "nodes", self.folder / "bench", "--json").stdout)["blocks"][0]
        self.assertEqual((of_node["ranks_a_node"], of_node["node_with_mpi_more"]["mean_bytes"]), ([2], [0]))
        picture = self.folder / "runs.svg"
        done = run("memory", "scaling", self.folder / "trivial", "--svg", picture)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreaterEqual(len(xml.etree.ElementTree.parse(picture).findall(".//{http://www.w3.org/2000/svg}polyline")), 5)

    def test_what_mpimemu_tells_stands_beside_ours(self):
        other = self.folder / "8"
        other.write_text("###\n### mpimemu: 1.4.2\n### mpi version: 3.1\n### numpe: 8\n### num nodes: 1\n###\n"
                         "Pre-Init VmRSS, 3300, 3500, 3400.00\nPost-Init VmHWM, 11000, 13000, 12000.00\nPost-Init VmRSS, 1, 2, 11100.00\n")
        done = run("memory", "scaling", self.folder / "plain", other, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)["runs"][1]
        self.assertEqual((told["ranks"], told["delta"]["method"], told["delta"]["peak_mean_bytes"]), (8, "mpimemu", 7700 * 1024))
        self.assertIsNone(told["delta"]["peak_sd_bytes"])
        done = self.diff("plain", "8")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("is of mpimemu, which tells no rank's figures", done.stderr)
        self.assertIsNone(told["mpi"]["peak_mean_bytes"], "nobody knows it")
        self.assertIsNone(told["node_end_bytes"])
        line = run("memory", "scaling", other).stdout.splitlines()[2]
        self.assertEqual(line.split()[4:], ["?", "+-", "?"] * 3 + ["11.72", "+-", "?", "?", "?"])
        done = run("report", other)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("what mpimemu has told of a run", done.stdout)
        self.assertIn("MPI's by mpimemu, what MPI_Init changed all by: 7.52 +- ?", done.stdout)
        self.assertEqual(json.loads(run("report", other, "--json").stdout)["runs"][0]["total"]["peak_mean_bytes"], 12000 * 1024)
        self.assertEqual(run("report", other, "--csv").returncode, 2)
        done = run("report", self.folder / "plain", "--against", other)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("is of mpimemu, which tells means over ranks alone", done.stderr)

    def test_a_file_in_the_place_of_a_record_is_refused_by_what_it_is(self):
        other = self.folder / "notes.txt"
        other.write_text("what I saw\n")
        for place, words in ((other, "is a file and no record: a record is the folder that comity run --record DIR has filled"),
                             (self.folder / "plain" / "run.comity", f"name its folder, {self.folder / 'plain'}")):
            for command in ("report",), ("memory", "scaling"):
                done = run(*command, place)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(words, done.stderr)
                self.assertNotIn("Not a directory", done.stderr)

    def test_a_file_of_memnesia_is_told_and_drawn(self):
        other = self.folder / "lulesh.memnesia"
        head = ("# [Run Info Begin]\n# Application Name: lulesh2.0\n# Hostname: n1\n# MPI_COMM_WORLD Rank: 0\n"
                "# High Memory Usage Watermark (MPI) (MB): 4.5\n# High Memory Usage Watermark (Application + MPI) (MB): 9\n# [Run Info End]\n")
        other.write_text(head + "MPI_MEM_USAGE MPI_Init 0.5 4.5\nALL_MEM_USAGE MPI_Init 0 2\nALL_MEM_USAGE MPI_Init 0.5 9\n")
        picture = self.folder / "older.svg"
        done = run("report", other, "--svg", picture)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"memnesia's, of 1 ranks? of lulesh2.0")
        self.assertRegex(done.stdout, r"\n  MPI_Init +4.50 +0.00 +1\n")
        self.assertEqual(len(xml.etree.ElementTree.parse(picture).findall(".//{http://www.w3.org/2000/svg}path[@fill='none']")), 2 + 2)
        self.assertEqual(json.loads(run("report", other, "--json").stdout)["memory"]["mpi"]["most"]["bytes"], 4.5 * MIB)
        done = run("report", other, "--csv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("memory scaling has it as --csv", done.stderr)

    def test_a_record_without_memory_is_refused_with_what_to_do(self):
        done = self.diff("plain", "without")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"the record in {self.folder}/without does not tell", done.stderr)
        self.assertIn("comity run --memory --record DIR", done.stderr)
        done = run("report", self.folder / "without", "--svg", self.folder / "no.svg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no samples of memory", done.stderr)
        self.assertFalse((self.folder / "no.svg").exists())

    def test_words_that_make_no_sense(self):
        for names, part in ((("plain",), "two records"), (("plain", "windows", "without"), "two records"), (("plain", "nothing"), "nothing")):
            done = self.diff(*names)
            self.assertEqual(done.stdout, "")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(part, done.stderr)
        done = run("memory", "diff", self.folder / "plain", self.folder / "windows", "--interval", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--interval is an option of memory watch", done.stderr)

    def damaged(self, name, change):
        """The folder of a copy whose bytes were changed."""
        folder = self.folder / f"{name}-damaged"
        folder.mkdir(exist_ok=True)
        whole = bytearray((self.folder / name / "run.comity").read_bytes())
        change(whole)
        (folder / "run.comity").write_bytes(whole)
        return folder

    @staticmethod
    def flip_components_of_rank_1(whole):
        at = whole.index(b"memory.components", whole.index(b"memory.components") + 1)
        whole[at + 100] ^= 4

    # What is damaged was taken for killed, the exit code said nothing, and comparisons were of the ranks that were left.
    def test_a_damaged_rank_is_named_and_all_else_of_it_is_told(self):
        folder = self.damaged("plain", self.flip_components_of_rank_1)
        done = run("report", folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"comity: {re.escape(str(folder))}/run.comity is damaged:\n +DAMAGED: of rank 1 \d+ of \d+ bytes cannot")
        self.assertRegex(done.stdout, r"\n +DAMAGED: of rank 1 \d+ of \d+ bytes cannot be read")
        self.assertNotIn("killed before", done.stdout)
        done = run("report", folder, "--json")
        self.assertEqual(done.returncode, 1)
        told = json.loads(done.stdout)
        self.assertEqual([(row["end"], row["damaged"]) for row in told["run"]["ends"]], [("ended", False), ("ended", True)])
        self.assertEqual([row["rank"] for row in told["run"]["damaged_ranks"]], [1])
        self.assertLess(told["run"]["damaged_ranks"][0]["lost_bytes"], 4096, "a chunk is lost, not what stands behind it")
        self.assertEqual(told["run"]["unmeasured_ranks"], [])
        self.assertEqual(len(told["metrics"]["ranks"]), 2, "its other figures are there")
        self.assertEqual([rank["rank"] for rank in told["memory"]["ranks"]], [0])

    def test_what_compares_damaged_runs_says_so(self):
        folder = self.damaged("plain", self.flip_components_of_rank_1)
        done = run("memory", "diff", folder, self.folder / "windows")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"WARNING: the record in {folder} is damaged: of 1 rank figures may be missing", done.stdout)
        told = run("memory", "diff", folder, self.folder / "windows", "--json")
        self.assertEqual((told.returncode, json.loads(told.stdout)["damaged_ranks"]), (1, {"a": [1], "b": []}))
        done = run("memory", "scaling", folder, self.folder / "windows")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"WARNING: the record in {folder} is damaged", done.stdout)
        told = run("memory", "scaling", folder, self.folder / "windows", "--json")
        self.assertEqual([one["damaged_ranks"] for one in json.loads(told.stdout)["runs"]], [[1], []])

    # The whole file was refused.
    def test_what_is_left_of_a_cut_off_file_is_told(self):
        whole = (self.folder / "plain" / "run.comity").read_bytes()
        index_at = int.from_bytes(whole[24:32], sys.byteorder)
        second_at = 48 + int.from_bytes(whole[104:112], sys.byteorder)
        for length, ranks, damaged in ((len(whole) - 1, [0, 1], []), (index_at, [0, 1], []), (index_at - 9, [0, 1], [1]),
                                       (second_at + 300, [0, 1], [1]), (second_at + 20, [0], []), (second_at, [0], [])):
            def cut(these, length=length):
                del these[length:]
            folder = self.damaged("plain", cut)
            done = run("report", folder, "--json")
            self.assertEqual(done.returncode, 1, (length, done.stderr))
            self.assertRegex(done.stderr, rf"DAMAGED: {re.escape(str(folder))}/run.comity is cut off: .* found without it, {len(ranks)}\n")
            told = json.loads(done.stdout)
            self.assertEqual([row["rank"] for row in told["run"]["ends"]], ranks, length)
            self.assertEqual([row["rank"] for row in told["run"]["damaged_ranks"]], damaged, length)
            self.assertIn("is cut off", told["run"]["index_damage"])
            self.assertEqual([rank["rank"] for rank in told["memory"]["ranks"]][:1], [0])
        done = run("report", folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\n +DAMAGED: .* is cut off")
        done = run("memory", "diff", folder, self.folder / "windows")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is damaged: its index cannot be read, and ranks may be missing", done.stdout)
        self.assertEqual(run("memory", "scaling", folder).returncode, 1)

    def test_a_flipped_index_leaves_all_ranks(self):
        def flip(these):
            these[int.from_bytes(these[24:32], sys.byteorder) + 20] ^= 4
        done = run("report", self.damaged("plain", flip), "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its index does not match its checksum", done.stderr)
        told = json.loads(done.stdout)
        whole = json.loads(run("report", self.folder / "plain", "--json").stdout)
        self.assertEqual((told["memory"], told["metrics"]), (whole["memory"], whole["metrics"]))

    # Where only tables were asked for, samples that nothing declares any more were not missed.
    def test_what_is_lost_of_a_rank_does_not_depend_on_what_is_asked_for(self):
        def flip_a_series(whole):
            whole[whole.index(b"memory_total_bytes")] ^= 4
        folder = self.damaged("plain", flip_a_series)
        asked = [run("report", folder, *words) for words in ((), ("--json",), ("--csv=memory",), ("--against", self.folder / "windows"))]
        asked.append(run("memory", "scaling", folder))
        self.assertEqual({done.returncode for done in asked}, {1})
        self.assertEqual(len({done.stderr for done in asked}), 1, [done.stderr for done in asked])
        self.assertRegex(asked[0].stderr, r"DAMAGED: of rank 0 \d+ of \d+ bytes cannot be read")

    def test_a_bit_flipped_anywhere_in_a_body_is_told(self):
        whole = (self.folder / "plain" / "run.comity").read_bytes()
        index_at = int.from_bytes(whole[24:32], sys.byteorder)
        for at in range(48, index_at, (index_at - 48) // 40):
            def flip(these, at=at):
                these[at] ^= 1 << (at % 8)
            done = run("report", self.damaged("plain", flip), "--json")
            self.assertEqual(done.returncode, 1, (at, done.stderr))
            self.assertIn("is damaged:", done.stderr, at)
            told = json.loads(done.stdout)["run"]
            self.assertEqual(sum(row["damaged"] for row in told["ends"]), 1, at)

    def test_memory_over_time_is_drawn_for_each_rank_and_summed(self):
        picture = self.folder / "memory.svg"
        done = run("report", self.folder / "windows", "--svg", picture)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("memory: rank", done.stdout, "the text is there too")
        paths = xml.etree.ElementTree.parse(picture).findall(".//{http://www.w3.org/2000/svg}path[@fill='none']")
        self.assertEqual(len(paths), 2 * 2 + 2)
        for path in paths:
            self.assertRegex(path.get("d"), r"^M\d+\.\d \d+\.\d")


class Study(unittest.TestCase):
    """Runs of several sizes, made and set side by side."""
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "runs"

    def study(self, *options, command=(*LAUNCH, "-n", "{ranks}", os.environ["PROGRAM"], "none")):
        line = [COMMAND, "memory", "study", *options, str(self.folder), "--", *command]
        environment = {name: value for name, value in os.environ.items() if name != "COMITY_LAUNCH"}  # of which the command would warn
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=False, timeout=50)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_each_size_is_recorded_once_and_all_stand_side_by_side(self):
        done = self.study("--ranks", "1", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names(), ["np1", "np1.log"])
        first = (self.folder / "np1" / "run.comity").stat().st_mtime_ns
        done = self.study("--ranks", "1,2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("comity: run 2 of 2: comity run --memory --record", done.stderr)
        self.assertNotIn("run 1 of 2", done.stderr, "it is there")
        self.assertEqual(self.names(), ["np1", "np1.log", "np2", "np2.log"])
        self.assertEqual((self.folder / "np1" / "run.comity").stat().st_mtime_ns, first)
        self.assertEqual([one["ranks"] for one in json.loads(done.stdout)["runs"]], [1, 2])

    def test_inputs_have_folders_and_bare_runs_their_times(self):
        command = ("sh", "-c", "echo {input}, {ranks}; test {input} != c")
        words = ("--ranks", "1,2", "--inputs", "a/x,b", "--bare")
        done = self.study(*words, "--json", command=command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("comity: run 1 of 4: sh -c ", done.stderr)
        told = json.loads(done.stdout)["runs"]
        self.assertEqual([one["run"] for one in told], [f"{self.folder}/{name}" for name in ("a_x/np1", "a_x/np2", "b/np1", "b/np2")])
        self.assertTrue(all(one["bare_s"] > 0 and one["recorded_s"] is None for one in told), told)
        log = (self.folder / "a_x" / "np2.bare.log").read_text().splitlines()
        self.assertRegex(log[1], r"^# took [0-9.e-]+ s$")
        self.assertEqual(log[2], "a/x, 2")
        again = self.study(*words, "--csv", command=command)
        self.assertEqual((again.returncode, again.stderr), (0, ""), "all are there")
        self.assertEqual(len(again.stdout.splitlines()), 5)
        done = self.study("--ranks", "1", "--inputs", "b,c", "--bare", command=command)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("exit code 1; mend it", done.stderr)

    def test_a_record_of_another_command_is_no_run_of_this_one(self):
        self.assertEqual(self.study("--ranks", "1").returncode, 0)
        done = self.study("--ranks", "1,2", command=(*LAUNCH, "-n", "{ranks}", os.environ["PROGRAM"], "other"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.folder}/np1 is there already, and no run of ", done.stderr)
        self.assertIn("name another folder, or move that one away", done.stderr)
        self.assertEqual(self.names(), ["np1", "np1.log"], "nothing has run")

    def test_a_run_that_fails_ends_it_and_leaves_no_record(self):
        done = self.study("--ranks", "1", command=(*LAUNCH, "-n", "{ranks}", "sh", "-c", "echo {ranks} rank; exit 3"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("exit code 3; mend it, and the same command goes on from there", done.stderr)
        self.assertIn("1 rank", (self.folder / "np1.log").read_text())
        self.assertNotIn("np1", self.names())

    def test_a_dry_run_says_what_would_be_run(self):
        done = self.study("--dry-run", "--ranks", "1,8", "--repeats", "2", "--mpis", "openmpi,mpich",
                          command=("mpirun.{mpi}", "-n", "{ranks}", "./app-{mpi}"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 8)
        self.assertEqual(lines[0], f"comity run --memory --record {self.folder}/openmpi-np1.1 -- mpirun.openmpi -n 1 ./app-openmpi")
        self.assertEqual(lines[7], f"comity run --memory --record {self.folder}/mpich-np8.2 -- mpirun.mpich -n 8 ./app-mpich")
        self.assertFalse(self.folder.exists())

    def test_words_that_make_no_sense_are_refused(self):
        for options, command, told in (([], ("app", "{ranks}"), "--ranks 1,2,4"),
                                       (["--ranks", "1,2,1"], ("app", "{ranks}"), "--ranks names 1 twice; --repeats N runs each so often"),
                                       (["--ranks", "2"], ("app",), "the command says nowhere how many ranks it starts"),
                                       (["--ranks", "2"], ("app", "{ranks}", "{mpi}"), "--mpis and {mpi} in the command go together"),
                                       (["--ranks", "2", "--mpis", "a,b"], ("app", "{ranks}"), "--mpis and {mpi} in the command go together"),
                                       (["--ranks", "2", "--inputs", "a"], ("app", "{ranks}"), "--inputs and {input} in the command go together"),
                                       (["--ranks", "2", "--inputs", "a/b,a_b"], ("app", "{ranks}", "{input}"), "the same name, a_b"),
                                       (["--ranks", "2", "--inputs", ".."], ("app", "{ranks}", "{input}"), "gives a folder no name"),
                                       (["--ranks", "2", "--over", "node"], ("app", "{ranks}"), "did you mean nodes"),
                                       (["--ranks", "2,x"], ("app", "{ranks}"), "--ranks takes numbers from 1 on"),
                                       (["--ranks", "2"], (), "needs a command behind a --")):
            done = self.study(*options, command=command)
            self.assertEqual((done.returncode, done.stdout), (2, ""), told)
            self.assertIn(told, done.stderr)
        self.assertIn("--svg draws no differences", run("memory", "scaling", "--against", "a", "--svg", "x", "b").stderr)
        self.assertIn("--against is of --over ranks", run("memory", "scaling", "--against", "a", "--over", "nodes", "b").stderr)
        self.assertIn("--repeats is an option of memory study", run("memory", "scaling", "--repeats", "2", "a").stderr)


if __name__ == "__main__":
    unittest.main()
