# SPDX-License-Identifier: BSD-3-Clause
"""What is measured and recorded of a program whose messages are known, at several numbers of ranks."""
import csv
import glob
import io
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

MPI = os.environ["COMITY_MPI"]
COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
ENDS = os.environ["COMITY_ENDS"]
SESSIONS = os.environ["COMITY_SESSIONS"]
MULTIPLY = os.environ["COMITY_MULTIPLY"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.record = os.path.join(self.folder.name, "out")
        self.scratch = os.path.join(self.folder.name, "scratch")
        os.mkdir(self.scratch)

    def run_known(self, ranks, options, words=(), environment=()):
        command = [COMITY, "run", *options, "--", *LAUNCH, "-n", str(ranks), PROGRAM, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=50, check=False,
                              env={**os.environ, "TMPDIR": self.scratch, **dict(environment)})

    def report(self, *options):
        while "a process still writes" in (run := self.try_to_report(*options)).stderr:
            time.sleep(0.1)  # of a job that was killed the launcher ends before its ranks
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def try_to_report(self, *options):
        return subprocess.run([COMITY, "report", *options, self.record], capture_output=True, text=True, timeout=50,
                              check=False, env={**os.environ, "TMPDIR": self.scratch})

    def assert_messages(self, metrics, ranks):
        """Byte for byte: what each rank has sent to each other, and what that has got."""
        wanted = {}
        for rank in range(ranks):
            count = rank + 1
            wanted[(rank, (rank + 1) % ranks)] = (count, sum(8 * (i + 1) for i in range(count)))
        sent = {(m["from"], m["to"]): (m["sends"], m["sent_bytes"]) for m in metrics["messages"]}
        got = {(m["from"], m["to"]): (m["receives"], m["received_bytes"]) for m in metrics["messages"]}
        self.assertEqual(sent, wanted)
        self.assertEqual(got, wanted)

    def calls(self, metrics, region):
        return {f["function"]: f["calls"] for f in metrics["functions"] if f["region"] == region}

    def assert_known(self, metrics, ranks):
        self.assert_messages(metrics, ranks)
        self.assertEqual(self.calls(metrics, "ring")["MPI_Isend"], ranks * (ranks + 1) // 2)
        self.assertEqual(self.calls(metrics, "(run)")["MPI_Allreduce"], 3 * ranks)
        reduced = [f for f in metrics["functions"] if f["function"] == "MPI_Allreduce"]
        self.assertEqual([f["sent_bytes"] for f in reduced], [3 * 24 * ranks])
        self.assertEqual(metrics["threads"]["needed"], "MPI_THREAD_FUNNELED")
        self.assertEqual(len(metrics["ranks"]), ranks)


class Metrics(Case):
    def test_a_table_at_the_end_and_nothing_kept(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                run = self.run_known(ranks, ["--metrics"])
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(len(re.findall(r"^comity: \d+ ranks?, 1 node", run.stderr, re.MULTILINE)), 1, run.stderr)
                self.assertRegex(run.stderr, r"parallel efficiency +[01]\.\d\d")
                self.assertRegex(run.stderr, rf"MPI_Allreduce +\(run\) +{3 * ranks} ")
                self.assertRegex(run.stderr, r"only the main thread calls MPI")
                self.assertEqual(os.listdir(self.scratch), [])

    def test_a_program_that_begins_mpi_before_main_and_ends_it_in_atexit(self):
        command = [COMITY, "run", "--metrics", "--record", self.record, "--", *LAUNCH, "-n", "2", ENDS, "early"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "TMPDIR": self.scratch})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(re.findall(r"^comity: 2 ranks, 1 node", run.stderr, re.MULTILINE)), 1, run.stderr)
        self.assertRegex(run.stderr, r"MPI_Barrier +\(run\) +2 ")
        told = json.loads(self.report("--json"))
        self.assertEqual(self.calls(told["metrics"], "(run)")["MPI_Barrier"], 2)
        self.assertEqual([end["end"] for end in told["run"]["ends"]], 2 * ["ended"])

    def test_its_figures_as_json_in_a_file(self):
        """Of ranks that others have started there is a page too, but the file is of those others. Debian's MPICH 4.0 starts none."""
        spawned = 1 if MPI == "openmpi" else 0
        figures = os.path.join(self.folder.name, "figures.json")
        run = self.run_known(2, ["--metrics", "--metrics-json", figures], spawned * ["spawn"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(re.findall(r"^comity: \d+ ranks?, 1 node", run.stderr, re.MULTILINE)), 1 + spawned, run.stderr)
        self.assertEqual(run.stderr.count("MPI_Comm_spawn has started are not written to " + figures), spawned, run.stderr)
        with open(figures, encoding="utf-8") as file:
            told = json.load(file)
        self.assertEqual(told["run"]["ranks"], 2)
        self.assertEqual(told["run"]["facts"]["program"], os.path.basename(PROGRAM))
        self.assert_known(told["metrics"], 2)

    def test_a_file_for_figures_that_cannot_be_written_takes_nothing_else_away(self):
        """Nobody has tried it before: the variable is given by hand."""
        run = self.run_known(1, ["--metrics"], environment={"COMITY_METRICS_JSON": self.folder.name})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("parallel efficiency", run.stderr)
        self.assertIn(f"write the figures of the run to {self.folder.name}: Is a directory", run.stderr)

    def test_counts_without_times(self):
        run = self.run_known(2, [], environment={"COMITY_METRICS": "counts"})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("counted and not timed", run.stderr)
        advice = re.search(r"efficiencies need (COMITY_METRICS=\w+)", run.stderr).group(1)
        name, value = advice.split("=")
        again = self.run_known(2, [], environment={name: value})
        self.assertIn("parallel efficiency", again.stderr, "what is advised helps")
        self.assertRegex(run.stderr, r"MPI_Allreduce +\(run\) +6 ")
        self.assertNotIn("parallel efficiency", run.stderr)


class Ranks(Case):
    """At as many ranks as the entry says."""

    def test_the_page_and_the_record_tell_what_the_program_did(self):
        ranks = int(os.environ["COMITY_RANKS"])
        figures = os.path.join(self.folder.name, "figures.json")
        run = self.run_known(ranks, ["--metrics", "--metrics-json", figures, "--record", self.record])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(re.findall(rf"^comity: {ranks} ranks?, 1 node", run.stderr, re.MULTILINE)), 1, run.stderr)
        self.assertRegex(run.stderr, rf"MPI_Allreduce +\(run\) +{3 * ranks} ")
        self.assertEqual(os.listdir(self.record), ["run.comity"])
        self.assertEqual(os.listdir(self.scratch), [])
        told = json.loads(self.report("--json"))
        self.assert_known(told["metrics"], ranks)
        self.assertEqual([rank["rank"] for rank in told["metrics"]["ranks"]], list(range(ranks)))
        self.assert_same_figures(figures, told)
        self.assertEqual([end["end"] for end in told["run"]["ends"]], ranks * ["ended"])
        self.assertEqual(told["run"]["missing_ranks"], 0)
        self.assert_name_and_version(told["run"]["facts"]["mpi"])

    def assert_name_and_version(self, told):
        self.assertTrue(told.startswith("Open MPI" if MPI == "openmpi" else "MPICH"), told)
        launcher = subprocess.run([LAUNCH[0], "--version"], capture_output=True, text=True, timeout=50, check=True).stdout
        version = re.search(r"\d+\.\d+[.\w]*", launcher).group(0)
        self.assertRegex(told, rf"(?<![\d.]){re.escape(version)}(?![\d.])")

    def assert_same_figures(self, path, told):
        """What does not depend on the clock, which is looked at once for the record and once for the page."""
        with open(path, encoding="utf-8") as file:
            here = json.load(file)
        self.assertEqual(list(here["metrics"]), list(told["metrics"]))
        self.assertEqual(here["metrics"]["messages"], told["metrics"]["messages"])
        for key, names in (("functions", ("function", "region", "calls", "sent_bytes")), ("regions", ("region", "visits", "ranks")),
                           ("ranks", ("rank", "node", "sent_bytes")), ("per_node", ("node", "host", "ranks"))):
            rows = [sorted(tuple(row[name] for name in names) for row in one["metrics"][key]) for one in (here, told)]
            self.assertEqual(*rows, key)
        for key in ("program", "arguments", "host", "mpi", "mpi library", "setting COMITY_METRICS"):
            self.assertEqual(here["run"]["facts"][key], told["run"]["facts"][key], key)


class Sessions(Case):
    def test_a_program_of_sessions_alone_runs_on_unmeasured(self):
        if not os.path.exists(SESSIONS):
            self.skipTest("NOT TESTED: this MPI has no sessions")
        command = [COMITY, "run", "--metrics", "--record", self.record, "--", *LAUNCH, "-n", "2", SESSIONS]
        run = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "TMPDIR": self.scratch})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("parallel efficiency", run.stderr)
        self.assertEqual(run.stderr.count("the program's sessions are not measured"), 1, "once a job: " + run.stderr)
        self.assertEqual(os.listdir(self.record) + os.listdir(self.scratch), [])

    def test_a_program_of_sessions_alone_is_told_that_its_waits_keep_their_cores(self):
        if not os.path.exists(SESSIONS):
            self.skipTest("NOT TESTED: this MPI has no sessions")
        for coop, words, lines in (("on", (), 1), ("auto", (), 0), ("on", ("beside-a-run",), 0)):
            with self.subTest(coop, words=words):
                run = subprocess.run([COMITY, "run", "--coop", coop, "--", *LAUNCH, "-n", "2", SESSIONS, *words],
                                     capture_output=True, text=True, timeout=50, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                told = run.stderr.count("waits of the program's sessions keep their cores")
                self.assertEqual(told, lines, "once a job: " + run.stderr)

    def test_sessions_beside_a_run_are_no_reason_for_a_line(self):
        if not os.path.exists(SESSIONS):
            self.skipTest("NOT TESTED: this MPI has no sessions")
        command = [COMITY, "run", "--metrics", "--", *LAUNCH, "-n", "2", SESSIONS, "beside-a-run"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False,
                             env={**os.environ, "TMPDIR": self.scratch})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("parallel efficiency", run.stderr)
        self.assertNotIn("sessions are not measured", run.stderr)


class Records(Case):
    def test_a_table_for_spreadsheets(self):
        self.assertEqual(self.run_known(2, ["--record", self.record]).returncode, 0)
        rows = list(csv.DictReader(io.StringIO(self.report("--csv"))))
        found = {(row["region"], row["function"]): int(row["calls"]) for row in rows}
        self.assertEqual(found[("ring", "MPI_Isend")], 3)
        metrics = json.loads(self.report("--json"))["metrics"]
        bytes_sent = sum(max(edge["sent_bytes"], edge["received_bytes"]) for edge in metrics["messages"] if edge["from"] != edge["to"])
        placed = subprocess.run([COMITY, "place", "--traffic", self.record, "--node-topology", "2*core:1", "--json"],
                                capture_output=True, text=True, timeout=50, check=True)
        self.assertEqual(json.loads(placed.stdout)["levels"][0]["cut_sum"], bytes_sent, "each rank on a node of its own")
        for table, columns in (("messages", ("from", "to", "sends", "sent_bytes", "receives", "received_bytes")),
                               ("ranks", ("rank", "node")), ("regions", ("region", "visits", "ranks")),
                               ("nodes", ("node", "host", "ranks"))):
            rows = list(csv.DictReader(io.StringIO(self.report(f"--csv={table}"))))
            key = {"nodes": "per_node"}.get(table, table)
            self.assertEqual([tuple(row[name] for name in columns) for row in rows],
                             [tuple(str(row[name]) for name in columns) for row in metrics[key]], table)

    def test_a_program_that_exchanges_by_collectives_among_neighbours_can_be_placed(self):
        """It was refused: their bytes went to everybody."""
        ranks, rounds = 4, 2
        wanted = {}
        for rank in range(ranks):
            for beside in (rank - 1, rank + 1):
                if 0 <= beside < ranks:
                    wanted[(rank, beside)] = (rounds, rounds * 8 * (rank + 1))
            wanted[(rank, (rank + 2) % ranks)] = (rounds, rounds * 3 * 8)
        self.assertEqual(self.run_known(ranks, ["--record", self.record], ["neighbors"]).returncode, 0)
        metrics = json.loads(self.report("--json"))["metrics"]
        self.assertEqual({(m["from"], m["to"]): (m["sends"], m["sent_bytes"]) for m in metrics["messages"]}, wanted)
        self.assertEqual({(m["from"], m["to"]): (m["receives"], m["received_bytes"]) for m in metrics["messages"]}, wanted)
        self.assertEqual([rank["sent_bytes"] for rank in metrics["ranks"]],
                         [sum(nbytes for (sender, _), (_, nbytes) in wanted.items() if sender == rank) for rank in range(ranks)])
        in_calls = sum(f["sent_bytes"] for f in metrics["functions"] if "eighbor_alltoall" in f["function"])
        self.assertEqual(in_calls, sum(nbytes for _, nbytes in wanted.values()), "the same, once")
        placed = subprocess.run([COMITY, "place", "--traffic", self.record, "--node-topology", "2*core:2", "--json"],
                                capture_output=True, text=True, timeout=50, check=True)
        least = min(sum(nbytes for (a, b), (_, nbytes) in wanted.items() if (a in half) != (b in half))
                    for half in ((0, 1), (0, 2), (0, 3)))
        self.assertEqual(json.loads(placed.stdout)["levels"][0]["cut_sum"], least)

    def test_an_earlier_record_is_never_overwritten(self):
        self.assertEqual(self.run_known(1, ["--record", self.record]).returncode, 0)
        before = self.report("--json")
        again = self.run_known(1, ["--record", self.record])
        self.assertNotEqual(again.returncode, 0)
        self.assertIn(self.record, again.stderr)
        self.assertEqual(self.report("--json"), before)


class Room(Case):
    """Less of a record: of room, or of detail."""

    def test_what_finds_no_room_is_told_as_sums_and_said(self):
        run = self.run_known(2, ["--record", self.record, "--record-budget", "64"], ["many"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("record with a larger budget", run.stderr)
        metrics = json.loads(self.report("--json"))["metrics"]
        lacks = {one["table"]: one for one in metrics["untold"]}
        self.assertEqual({(one["lack"], one["ranks"], one["first_rank"]) for one in lacks.values()}, {("shorter", 2, 0)})
        self.assertIn("metrics.calls", lacks)
        self.assertEqual(self.calls(metrics, "(all)")["MPI_Comm_test_inter"], 2 * 400, "all, up to the end")
        self.assertEqual(self.calls(metrics, "(all)")["MPI_Allreduce"], 2 * 3)
        page = self.report()
        self.assertIn("Told as sums alone: functions (2 ranks, the first is 0).", page)
        self.assertIn("--record-budget KB", page)
        self.assertNotIn("No call to MPI", page)

    def test_counts_are_recorded_without_a_look_at_the_clock(self):
        run = self.run_known(2, ["--record", self.record], ["kill", "visits"], {"COMITY_METRICS": "counts"})
        self.assertNotEqual(run.returncode, 0)
        metrics = json.loads(self.report("--json"))["metrics"]
        self.assertFalse(metrics["timed"])
        self.assert_messages(metrics, 2)
        self.assertEqual(self.calls(metrics, "(run)")["MPI_Allreduce"], 6, "up to date without times of calls")
        untold = [metrics["functions"], "time_s"], [metrics["regions"], "mpi_s"], [metrics["ranks"], "efficiency"]
        for rows, key in untold:
            self.assertEqual([row[key] for row in rows], len(rows) * [None], key)
        self.assertGreaterEqual(metrics["wall_s"], 2.2, "what borders of regions tell")
        self.assertIsNone(metrics["flight"])

    def test_one_sided_bytes_by_pairs_of_ranks(self):
        ranks = 3
        self.assertEqual(self.run_known(ranks, ["--record", self.record], ["windows"]).returncode, 0)
        metrics = json.loads(self.report("--json"))["metrics"]
        self.assert_messages({"messages": [m for m in metrics["messages"] if m["sends"]]}, ranks)
        put = {(m["from"], m["to"]): (m["puts"], m["put_bytes"]) for m in metrics["messages"] if m["puts"]}
        got = {(m["from"], m["to"]): (m["gets"], m["got_bytes"]) for m in metrics["messages"] if m["gets"]}
        self.assertEqual(put, {(rank, (rank + 1) % ranks): (rank + 1, sum(8 * (i + 1) for i in range(rank + 1)))
                               for rank in range(ranks)})
        self.assertEqual(got, {(rank, (rank + 1) % ranks): (2, 2 * 24) for rank in range(ranks)})


class Killed(Case):
    def test_a_killed_job_is_put_together_afterwards(self):
        run = self.run_known(2, ["--record", self.record], ["kill"])
        self.assertNotEqual(run.returncode, 0)
        self.assertNotIn("run.comity", os.listdir(self.record))
        told = json.loads(self.report("--json"))
        self.assert_known(told["metrics"], 2)
        self.assertGreaterEqual(told["metrics"]["wall_s"], 2.2, "up to when it was written down, in whatever region")
        self.assertEqual([end["end"] for end in told["run"]["ends"]], 2 * ["did not end"])
        self.assertEqual(os.listdir(self.record), ["run.comity"])
        self.assertEqual([name for name in os.listdir(self.scratch) if name.startswith("comity")], [])

    def test_a_rank_that_dies_before_its_first_call_takes_no_figures_with_it(self):
        self.assertNotEqual(self.run_known(2, ["--record", self.record], ["dies"]).returncode, 0)
        told = json.loads(self.report("--json"))
        self.assertIn(0, [rank["rank"] for rank in told["metrics"]["ranks"]], "it has left MPI_Init")
        self.assertIn("did not end", self.report())
        self.report("--csv")


class MemoryGroup:
    """A group of processes that may have so much memory together, version 1 or 2; OSError where none can be made."""

    def __init__(self, most_bytes):
        self.folder = self._folder() / f"comity-{os.getpid()}"
        self.folder.mkdir()
        try:
            self._bound(most_bytes)
        except OSError:
            self.folder.rmdir()
            raise

    def _bound(self, most_bytes):
        # Swap first counts where memory is bounded already, and is not everywhere.
        bounds = ("memory.limit_in_bytes", "memory.max"), ("memory.memsw.limit_in_bytes", "memory.swap.max")
        for (old, new), (of_old, of_new) in zip(bounds, ((most_bytes, most_bytes), (most_bytes, 0))):
            for name, value in ((old, of_old), (new, of_new)):
                if (self.folder / name).exists():
                    (self.folder / name).write_text(str(value))
        if not any((self.folder / name).exists() for name in bounds[0]):
            raise OSError("a group made here bounds no memory")

    @staticmethod
    def _folder():
        groups = dict(line.split(":")[1:] for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines())
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            before, after = (part.split() for part in line.split(" - "))
            if after[0] == "cgroup" and "memory" in after[2].split(","):
                return Path(before[4] + groups["memory"])
            if after[0] == "cgroup2":
                own = Path(before[4] + groups[""])
                if "memory" in (own / "cgroup.subtree_control").read_text(encoding="utf-8").split():
                    return own
        raise OSError("no group bounds memory here")

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def kills(self):
        """How often the kernel has killed one of them because memory ran out."""
        told = next(name for name in ("memory.oom_control", "memory.events") if (self.folder / name).exists())
        return int(re.search(r"^oom_kill (\d+)$", (self.folder / told).read_text(), re.MULTILINE).group(1))

    def remove(self):
        while (self.folder / "cgroup.procs").read_text():
            time.sleep(0.1)  # of a job that was killed the launcher ends before its ranks
        self.folder.rmdir()


class OutOfMemory(Case):
    def test_a_rank_that_the_kernel_kills_for_its_memory_leaves_its_figures(self):
        try:
            group = MemoryGroup(512 << 20)
        except OSError as error:
            self.skipTest(f"NOT TESTED: no group with bounded memory can be made here: {error}")
        self.addCleanup(group.remove)
        command = [COMITY, "run", "--record", self.record, "--", *LAUNCH, "-n", "2", PROGRAM, "grow"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False, preexec_fn=group.enter,
                             env={**os.environ, "TMPDIR": self.scratch})
        self.assertNotEqual(run.returncode, 0)
        self.assertGreaterEqual(group.kills(), 1, run.stdout + run.stderr)
        told = json.loads(self.report("--json"))
        self.assert_known(told["metrics"], 2)
        self.assertEqual(told["run"]["ends"][0]["end"], "did not end")
        self.assertEqual(told["run"]["missing_ranks"], 0)


class Large(Case):
    def test_a_record_of_10000_ranks_that_is_made_of_real_ones_is_read_up_to_its_summaries(self):
        self.run_known(2, ["--record", self.record], ["kill", "visits"])
        files = sorted(glob.glob(os.path.join(self.scratch, "comity-*", "*", "rank-*.comity")))
        self.assertEqual(len(files), 2)
        run = subprocess.run([os.environ["COMITY_LARGE"]], capture_output=True, text=True, timeout=100, check=False,
                             env={**os.environ, "RECORD_RANKS": "10000", "RECORD_FILES": ":".join(files)})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        print(re.search(r"10000 ranks, .*", run.stdout).group(0))


class Reports(Case):
    def most_memory(self, *options):
        """[bytes] that a report of the record took at the most."""
        with subprocess.Popen([COMITY, "report", *options, self.record], stdout=subprocess.DEVNULL) as run:
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(run.returncode, 0)
        return 1024 * used.ru_maxrss

    def test_a_report_of_a_large_job_does_not_hold_it(self):
        self.run_known(2, ["--record", self.record], ["kill", "visits"])
        files = sorted(glob.glob(os.path.join(self.scratch, "comity-*", "*", "rank-*.comity")))
        self.assertEqual(len(files), 2)
        self.record = os.path.join(self.folder.name, "large")
        subprocess.run([MULTIPLY, "2500", "98304", self.record, *files], check=True, timeout=50)
        size = os.path.getsize(os.path.join(self.record, "run.comity"))
        self.assertGreater(size, 2500 * 40_000, "ranks have much to tell")
        self.assertLess(self.most_memory(), size / 3)
        self.assertLess(self.most_memory("--csv"), size / 3)
        self.assertLess(self.most_memory("--json"), size)
        page = self.report()
        self.assertIn("comity: 2500 ranks, 40 nodes", page)
        self.assertLess(page.count("did not end"), 20, "not a line for each of thousands")
        self.assertIn("more ranks did not end well", page)
        metrics = json.loads(self.report("--json"))["metrics"]
        self.assertEqual(self.calls(metrics, "(run)")["MPI_Allreduce"], 3 * 2500)

    def test_one_run_against_another(self):
        other = os.path.join(self.folder.name, "other")
        self.assertEqual(self.run_known(2, ["--record", self.record], ["turns"]).returncode, 0)
        self.assertEqual(self.run_known(1, ["--record", other]).returncode, 0)
        told = json.loads(self.report("--json", "--against", other))
        self.assertEqual([told["run"]["ranks"], told["against"]["run"]["ranks"]], [2, 1])
        regions = {region["region"]: region for region in told["comparison"]["regions"]}
        self.assertEqual(set(regions), {"(run)", "ring", "turn"})
        self.assertIsNone(regions["turn"]["wall_s"]["there"], "that run was never in it")
        here = {region["region"]: region for region in told["metrics"]["regions"]}
        self.assertEqual(regions["ring"]["wall_s"]["here"], here["ring"]["wall_s"])
        text = self.report("--against", other)
        self.assertIn(told["comparison"]["verdict"], text)
        self.assertRegex(text, r"ranks +2 +1\n")
        self.assertRegex(text, r"\n  turn +[\d.]+ +- +- ")

    def test_what_is_no_record(self):
        empty = os.path.join(self.folder.name, "empty")
        os.mkdir(empty)
        for words, part in ((["report"], "folder"), (["report", empty], "empty"),
                            (["report", os.path.join(empty, "absent")], "absent"), (["report", "--json", "--csv", empty], "--csv"),
                            (["report", "--csv", "--against", empty, empty], "--against"),
                            (["report", "--csv=rank", empty], "ranks")):
            with self.subTest(words=words):
                run = subprocess.run([COMITY, *words], capture_output=True, text=True, timeout=50, check=False)
                self.assertIn(run.returncode, (1, 2))
                self.assertIn(part, run.stderr)


def load_tests(loader, tests, _pattern):
    group = os.environ.get("COMITY_GROUP")
    return loader.loadTestsFromTestCase(globals()[group]) if group else tests


if __name__ == "__main__":
    unittest.main()
