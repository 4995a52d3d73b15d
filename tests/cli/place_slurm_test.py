# SPDX-License-Identifier: BSD-3-Clause
"""`comity place` with a Slurm that is started for this test: two nodes on this host, without its accounting and its own users, whose parts
know one another by a munge with a key of the test's own. Environment: COMMAND_UNDER_TEST, OPENMP_PROGRAM. Skipped, with a sentence, where
their programs are not here; that they do not start is a failure."""
import contextlib
import getpass
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import running

PROGRAM = os.environ["OPENMP_PROGRAM"]
PATH = os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"
PROGRAMS = ("munged", "slurmctld", "slurmd", "salloc", "srun", "sinfo")
NODES = ("n1", "n2")
PATIENCE_S = 40  # until both nodes are there
# Ranks 0 and 2 exchange much, 1 and 3 too: they belong on one node each.
GRAPH = "ranks 4\n0 2 9\n1 3 9\n0 1\n"
CONFIGURATION = """\
ClusterName=comity
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName={nodes[0]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} State=UNKNOWN
NodeName={nodes[1]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def skip(why):
    print(f"NOT TESTED: {why}")
    sys.exit(77)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Slurm:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.daemons = []
        self.variables = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": PATH}
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir()
        self.folder.chmod(0o711)  # munge wants its socket where all may reach it
        (self.folder / "munge.key").touch(mode=0o600)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=folder, ports=free_ports(3), nodes=NODES,
            cpus=os.cpu_count()), encoding="ascii")

    def run(self, *words):
        return subprocess.run(words, env={**running.KEPT, **self.variables}, capture_output=True, text=True, check=False,
                              timeout=50)

    def start_daemon(self, *words):
        """It stays a child of this process, and ends if that is killed."""
        with open(self.folder / "daemons.log", "a", encoding="utf-8") as said:
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *words], stdin=subprocess.DEVNULL, stdout=said,
                                                 stderr=said, env={**running.KEPT, **self.variables}))

    def wait_until(self, reached, what):
        last = time.monotonic() + PATIENCE_S
        while not reached():
            if time.monotonic() > last:
                logs = " ".join(path.read_text(errors="replace")[-600:] for path in self.folder.glob("*.log"))
                raise AssertionError(f"{what}: {logs}")
            time.sleep(0.1)

    def start(self):
        files = {"--key-file": "key", "--socket": "socket", "--pid-file": "pid", "--log-file": "log", "--seed-file": "seed"}
        self.start_daemon("munged", "--foreground", *(f"{option}={self.folder}/munge.{name}" for option, name in files.items()))
        self.wait_until((self.folder / "munge.socket").exists, "munged has no socket")
        self.start_daemon("slurmctld", "-i", "-D")
        for node in NODES:
            self.start_daemon("slurmd", "-D", "-N", node)
        self.wait_until(self.all_idle, "Slurm's nodes do not come up")

    def all_idle(self):
        return self.run("sinfo", "-h", "-o", "%T", "-t", "idle").stdout.strip() == "idle" and \
            len(self.run("sinfo", "-h", "-N", "-t", "idle").stdout.splitlines()) == len(NODES)

    def take_all_nodes(self):
        """So that tasks may run on all cores, whatever srun asks for."""
        done = self.run("salloc", "--no-shell", "--nodes=2", "--exclusive")
        job = re.search(r"Granted job allocation (\d+)", done.stdout + done.stderr)
        assert job, done.stderr
        self.variables |= {"SLURM_JOB_ID": job[1], "SLURM_JOB_NODELIST": "n[1-2]"}

    def stop(self):
        for daemon in self.daemons:
            daemon.kill()  # what they would save at an end of their own is the folder's
        for daemon in self.daemons:
            daemon.wait()
        own = f"SLURM_CONF={self.folder}/".encode()
        for path in Path("/proc").glob("[0-9]*/environ"):  # steps that want to tell the daemons of their end
            with contextlib.suppress(OSError):
                if own in path.read_bytes():
                    os.kill(int(path.parent.name), signal.SIGKILL)


def setUpModule():
    missing = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
    if missing:
        skip(f"Slurm is not here (no {', '.join(missing)}; Debian: slurmctld, slurmd, slurm-client, munge)")
    if running.run("place", "--grid", "2").returncode != 0:
        skip("this needs two cores, and here is one")


class Place(unittest.TestCase):
    """A Slurm for each test: that of Debian 12 gets lost in the job after one whose hosts come in turn, with its nodes on one host."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.slurm = Slurm(folder.name)
        self.addCleanup(self.slurm.stop)
        self.slurm.start()
        self.graph = self.folder / "job.graph"
        self.graph.write_text(GRAPH, encoding="ascii")

    def place(self, *words):
        """In the job, whose nodes it then knows."""
        return running.run("place", *words, **self.slurm.variables)

    def check_as_planned(self, ranks, *job, threads=4, binding="mask_cpu:0x"):
        """By Slurm's own masks where one list for both nodes can say them."""
        self.slurm.take_all_nodes()
        done = self.place(*job, "--output", "slurm", "--to", self.folder / "made", "--", PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = next(text for text in done.stdout.splitlines() if "SLURM_HOSTFILE=" in text)
        self.assertIn(f"--cpu-bind={binding}", line)
        done = self.place(*job, "--verify", "--", *shlex.split(line))
        self.assertEqual((done.returncode, done.stdout), (0, f"As planned: {ranks} ranks with {threads} threads on 2 hosts.\n"),
                         done.stderr)

    def test_tasks_run_where_the_written_files_put_them(self):
        self.check_as_planned(4, "--graph", self.graph, "--hosts", "n1:2,n2:2")

    def test_threads_of_tasks_run_where_the_wrapper_puts_them(self):
        self.check_as_planned(2, "--grid", "2", "--threads", "2", "--hosts", "n2:1,n1:1")

    def test_tasks_run_on_cores_that_slurm_would_not_choose(self):
        """With --cpus-per-task it would give the step the first cores alone, and refuse the masks."""
        self.check_as_planned(2, "--grid", "2", "--hosts", "n1:1,n2:1", "--without", "n1=0", "--without", "n2=0", threads=2)

    def test_tasks_that_slurm_does_not_bind_run_where_the_wrapper_puts_them(self):
        """One list cannot say it for both nodes."""
        self.check_as_planned(2, "--grid", "2", "--hosts", "n1:1,n2:1", "--without", "n1=0", "--without", "n2=1", threads=2,
                              binding=f"none {self.folder}/made/comity-rank ")

    def test_job_tells_its_cpus_and_the_tasks_that_were_asked_for(self):
        for words, refused in ((("--ntasks=3",), "the nodes have room for 3"), (("--exclusive",), "")):
            done = self.slurm.run("salloc", "--nodes=2", *words, running.COMMAND, "place", "--graph", self.graph, "--output", "slurm",
                                  "--to", self.folder / "made")
            self.assertEqual(done.returncode, 1 if refused else 0, done.stderr)
            self.assertIn(refused, done.stderr)
        self.assertEqual(len((self.folder / "made" / "hosts").read_text().split()), 4)

    def test_order_of_slurm_alone_is_found_out(self):
        self.slurm.take_all_nodes()
        done = self.place("--graph", self.graph, "--hosts", "n1:2,n2:2", "--verify", "--", "srun", "-n", "4", PROGRAM)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"- rank \d runs on n(\d), planned is n(?!\1)\d\n")


if __name__ == "__main__":
    unittest.main()
