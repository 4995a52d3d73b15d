# SPDX-License-Identifier: BSD-3-Clause
"""`comity top` tells of four ranks at known places (places.c) what is true, while they are there. Started by ctest with
COMITY_MPI, COMITY_LAUNCH (the launcher's words) and PLACES set."""
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import COMMAND  # noqa: E402  pylint: disable=wrong-import-position
from terminal import Terminal  # noqa: E402  pylint: disable=wrong-import-position

LAUNCH = os.environ["COMITY_LAUNCH"].split()
PLACES = os.environ["PLACES"]
DEADLINE_S = 50
GONE_WITHIN_S = 10  # what another job has in the folder of shared memory for a moment
LOOK = ("top", "--once", "--interval", "0.1")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("COMITY_")}


def cpus():
    """The first and the last CPU that we may use; on one CPU they are the same."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[-1]


def as_list(*numbers):
    """As the kernel and Comity write the CPUs of a set of at most two."""
    first, last = min(numbers), max(numbers)
    if first == last:
        return str(first)
    return f"{first}-{last}" if last == first + 1 else f"{first},{last}"


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if "comity" in name}


class Job:
    """The four ranks below a launcher, under `comity run`."""

    def __init__(self, test, options=("--metrics",), **variables):
        self.folder = Path(tempfile.mkdtemp())
        test.addCleanup(lambda: subprocess.run(["rm", "-r", str(self.folder)], check=True))
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        os.mkfifo(self.folder / "wake")
        line = [COMMAND, "run", *options, "--", *LAUNCH, "-n", "4", PLACES, str(self.folder), *map(str, cpus())]
        self.process = subprocess.Popen(line, env={**ENVIRONMENT, "TMPDIR": str(self.scratch), **variables},
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        test.addCleanup(self.stop)
        self.output = None

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        self.process.stdout.close()

    def look(self, *words):
        return subprocess.run([COMMAND, *LOOK, *map(str, words)], env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=DEADLINE_S, check=False)

    def ranks(self):
        """What is told of this job's ranks, {} before any is there."""
        done = self.look("--json", "--job", self.process.pid)
        if done.returncode != 0:
            return {}
        return {one["rank"]: one for job in json.loads(done.stdout)["jobs"] for one in job["ranks"]}

    def at_their_places(self, test):
        """What is told as soon as all ranks are where they stay."""
        wanted = {0: ("computing", None, "work"), 1: ("mpi", "MPI_Recv", None), 2: ("mpi", "MPI_Barrier", None),
                  3: ("asleep", None, "night/nap")}
        end = time.monotonic() + DEADLINE_S
        ranks = {}
        while time.monotonic() < end:
            ranks = self.ranks()
            if {rank: (one["state"], one["call"], one["region"]) for rank, one in ranks.items()} == wanted:
                return ranks  # the barriers of the start lie behind rank 0, and so behind all
            if self.process.poll() is not None:
                test.fail(f"the job has ended: {self.process.communicate()[0]}")
        return test.fail(f"wanted {wanted}, last told: {json.dumps(ranks, indent=1)}")

    def numbers(self, rank):
        return [int(word) for word in (self.folder / f"rank-{rank}").read_text().split()]

    def go_on(self):
        (self.folder / "go").touch()
        (self.folder / "wake").write_text("!")

    def end(self):
        self.output = self.process.communicate(timeout=DEADLINE_S)[0]
        return self.process.returncode


def told_processes():
    done = subprocess.run([COMMAND, *LOOK, "--json"], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=True)
    return {one["pid"] for job in json.loads(done.stdout)["jobs"] for one in job["ranks"]}


def page_of(process):
    """The bytes of a rank's live page, found and read without Comity."""
    folder = Path(f"/proc/{process}/fd")
    return next(file for file in folder.iterdir() if os.readlink(file) == "/memfd:comity-live (deleted)").read_bytes()


class Places(unittest.TestCase):
    def test_each_rank_is_told_as_it_is(self):
        job = Job(self)
        ranks = job.at_their_places(self)
        first, last = cpus()
        for rank, binding in enumerate((as_list(first), as_list(last), as_list(first, last), as_list(last))):
            with self.subTest(rank=rank):
                one = ranks[rank]
                self.assertEqual(one["pid"], job.numbers(rank)[0])
                self.assertEqual(one["cpuset"], binding)
                self.assertIn(one["cpu"], (first, last) if rank == 2 else (first,) if rank == 0 else (last,))
                self.assertEqual(one["phase"], "running")
                self.assertGreater(one["memory_bytes"], 1 << 20)
                self.assertIn("places", one["command"])
                main = next(thread for thread in one["threads"] if thread["tid"] == one["main_thread"])
                self.assertEqual((main["cpuset"], main["call"]), (binding, one["call"]))
        self.assertEqual(sorted(ranks), [0, 1, 2, 3], "rank 3's fork child is none")
        self.assert_computing(job, job.numbers(0)[0])
        self.assertGreater(ranks[1]["call_s"], 0)
        self.assertIsNone(ranks[0]["call_s"])
        self.assert_all_forms(job)
        self.assert_page_is_as_documented(job)
        job.go_on()
        self.assertEqual(job.end(), 0, job.output)
        self.assertEqual(told_processes() & {one["pid"] for one in ranks.values()}, set())

    def assert_computing(self, job, process):
        """Between two looks a tenth of a second apart a rank on a busy core may get no slice."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            seen = json.loads(job.look("--json", "--pid", process).stdout)["jobs"][0]["ranks"][0]
            if seen["cpu_percent"] > 0:
                return
        self.fail("the rank that computes was never seen to")

    def assert_all_forms(self, job):
        whole = json.loads(job.look("--json", "--job", job.numbers(2)[0]).stdout)
        self.assertEqual([(one["size"], len(one["ranks"])) for one in whole["jobs"]], [(4, 4)], "by one rank of it")
        one = json.loads(job.look("--json", "--pid", job.numbers(1)[0]).stdout)
        self.assertEqual([rank["call"] for found in one["jobs"] for rank in found["ranks"]], ["MPI_Recv"])
        text = job.look("--job", job.process.pid).stdout
        self.assertRegex(text, r"(?m)^job [0-9a-f]{8}: 4 of 4 ranks; (Open MPI|MPICH).*; test_cli_places")
        self.assertRegex(text, rf"(?m)^  1 +{job.numbers(1)[0]} .* MPI_Recv +[0-9.]+ (ms|s)$")
        self.assertRegex(text, r"(?m)^  3 .* asleep +night/nap$")
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
        self.assertRegex(job.look("--pid", job.numbers(0)[0]).stdout, rf"(?m)^  {job.numbers(0)[0]} +\S+ \* .* work$")

    def assert_page_is_as_documented(self, job):
        """docs/top.md, the page byte by byte, of the rank that is in MPI_Recv."""
        process = job.numbers(1)[0]
        page = page_of(process)
        magic, version, order, header, total = struct.unpack_from("=8s4I", page)
        self.assertEqual((magic, version, order, header, total), (b"comylive", 2, 0x01020304, 216, len(page)))
        rows_at, row_bytes, rows, names_at, names_bytes, functions = struct.unpack_from("=6I", page, 24)
        self.assertEqual((rows_at % 64, row_bytes, rows), (0, 128, 256))
        names = page[names_at:names_at + names_bytes].split(b"\0")
        self.assertEqual(len(names) - 1, functions)
        self.assertEqual(struct.unpack_from("=5I", page, 48), (process, 1, process, 1, 4))
        thread, function, since_ns = struct.unpack_from("=IIq", page, rows_at)
        self.assertEqual((thread, names[function - 1]), (process, b"MPI_Recv"))
        self.assertLess(0, since_ns)
        self.assertLess(since_ns, time.monotonic_ns())
        page = page_of(job.numbers(3)[0])
        after, region_bytes = struct.unpack_from("=II", page, rows_at + 16)
        self.assertEqual(page[rows_at + 24:rows_at + 24 + region_bytes], b"night/nap")
        self.assertEqual(struct.unpack_from("=I", page, rows_at + 124), (after,))

    def test_a_killed_rank_leaves_nothing(self):
        before = shared_memory()
        job = Job(self, options=(), COMITY_METRICS="counts")
        ranks = job.at_their_places(self)
        self.assertIsNone(ranks[1]["call_s"], "nobody looked at the clock")
        os.kill(ranks[1]["pid"], signal.SIGKILL)
        self.assertNotEqual(job.end(), 0)
        pids = {one["pid"] for one in ranks.values()}
        end = time.monotonic() + DEADLINE_S
        while told_processes() & pids and time.monotonic() < end:
            time.sleep(0.1)  # the launcher ends before its ranks
        self.assertEqual(told_processes() & pids, set())
        end = time.monotonic() + GONE_WITHIN_S
        while shared_memory() - before and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(shared_memory() - before, set())
        self.assertEqual([name for name in os.listdir(job.scratch) if "comity" in name], [])

    def test_a_terminal_shows_it_live_until_the_job_has_ended(self):
        job = Job(self)
        job.at_their_places(self)
        with Terminal("top", "--interval", "0.1", "--job", str(job.process.pid)) as terminal:
            terminal.read_until("MPI_Recv")
            terminal.read_until("night/nap")
            job.go_on()
            self.assertEqual(job.end(), 0, job.output)
            terminal.read_until("It has ended.")
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.modes(), terminal.modes_before)


if __name__ == "__main__":
    unittest.main()
