# SPDX-License-Identifier: BSD-3-Clause
"""`comity place` with a Slurm that is started for this test: two nodes on this host, without its accounting and its own users.
Environment: COMMAND_UNDER_TEST, OPENMP_PROGRAM. Skipped, with a sentence, where Slurm is not here or does not start."""
import contextlib
import getpass
import os
import shlex
import shutil
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
PROGRAMS = ("slurmctld", "slurmd", "srun", "sinfo")
NODES = ("n1", "n2")
PATIENCE_S = 20  # until both nodes are there
# Ranks 0 and 2 exchange much, 1 and 3 too: they belong on one node each.
GRAPH = "ranks 4\n0 2 9\n1 3 9\n0 1\n"
CONFIGURATION = """\
ClusterName=comity
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
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
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=folder, ports=free_ports(3), nodes=NODES,
            cpus=os.cpu_count()), encoding="ascii")

    def run(self, *words):
        return subprocess.run(words, env={**running.KEPT, **self.variables}, capture_output=True, text=True, check=False,
                              timeout=50)

    def start(self):
        """"" or why it does not run here. The daemons stay children of this process, and end if it is killed."""
        for words in (["slurmctld", "-i", "-D"], *(["slurmd", "-D", "-N", node] for node in NODES)):
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *words], stdin=subprocess.DEVNULL,
                                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                 env={**running.KEPT, **self.variables}))
        last = time.monotonic() + PATIENCE_S
        while time.monotonic() < last:
            if self.run("sinfo", "-h", "-o", "%T", "-t", "idle").stdout.strip() == "idle" and \
               len(self.run("sinfo", "-h", "-N", "-t", "idle").stdout.splitlines()) == len(NODES):
                return ""
            time.sleep(0.1)
        logs = " ".join(path.read_text(errors="replace")[-400:] for path in self.folder.glob("slurm*.log"))
        return f"Slurm's nodes do not come up: {logs}"

    def stop(self):
        for daemon in self.daemons:
            daemon.kill()  # what they would save at an end of their own is the folder's
        for daemon in self.daemons:
            daemon.wait()


class Place(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
        if missing:
            skip(f"Slurm is not here (no {', '.join(missing)}; Debian: slurmctld, slurmd, slurm-client)")
        if len(os.sched_getaffinity(0)) < 2:
            skip("this needs two cores, and here is one")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.slurm = Slurm(cls.folder.name)
        cls.addClassCleanup(cls.slurm.stop)
        why = cls.slurm.start()
        if why:
            cls.doClassCleanups()
            skip(why)
        cls.graph = os.path.join(cls.folder.name, "job.graph")
        Path(cls.graph).write_text(GRAPH, encoding="ascii")
        cls.job = ("place", "--graph", cls.graph, "--hosts", "n[1-2]:2")

    def place(self, *words):
        return running.run(*words, **self.slurm.variables)

    def test_tasks_run_where_the_written_files_put_them(self):
        done = self.place(*self.job, "--output", "slurm", "--to", os.path.join(self.folder.name, "made"), "--", PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = next(text for text in done.stdout.splitlines() if text.startswith("  SLURM_HOSTFILE="))
        done = self.place(*self.job, "--verify", "--", *shlex.split(line))
        self.assertEqual((done.returncode, done.stdout), (0, "As planned: 4 ranks with 4 threads on 2 hosts.\n"), done.stderr)

    def test_order_of_slurm_alone_is_found_out(self):
        done = self.place(*self.job, "--verify", "--", "srun", "-N", "2", "-n", "4", PROGRAM)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"- rank \d runs on n(\d), planned is n(?!\1)\d\n")


if __name__ == "__main__":
    unittest.main()
