# SPDX-License-Identifier: BSD-3-Clause
"""cluster.py SETTINGS: the first process of the namespaces in which all emulated hosts live. It starts the hosts, joins
them, runs the command on the first one, and ends with the command's status.

Whatever ends this process ends everything that runs on the hosts, by the rule that a process namespace dies with its
process 1; and devices, mounts and files of the cluster are held by namespaces that then nobody is in. It ends itself
when its lifeline does, a pipe whose other end only the tool holds: so a tool that is killed leaves nothing either."""
import json
import os
import shlex
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True

import launchers
import network
import wire

# The process of a host stands in the host's namespaces but the one for processes, whose first process is its child.
NAMESPACES = ("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child")


@dataclass
class Host:
    number: int
    name: str
    process: subprocess.Popen

    @property
    def pid(self):
        return self.process.pid

    def run(self, line):
        """For the network: a failure is the cluster's."""
        if wire.run_on(self.name, line, os.environ, "/") != 0:
            raise RuntimeError(f"{self.name} could not be joined to the network; why stands above")


def end_with_the_tool(lifeline):
    def wait():
        os.read(lifeline, 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def make_folder(names):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"], check=True)
    wire.FOLDER.mkdir()
    lines = ["127.0.0.1 localhost"] + [f"{network.address(i)} {name}" for i, name in enumerate(names, 1)]
    (wire.FOLDER / "hosts").write_text("\n".join(lines) + "\n", encoding="ascii")
    for name in names:
        (wire.FOLDER / name).mkdir()


def start_host(number, name):
    words = [*NAMESPACES, sys.executable, str(Path(__file__).with_name("host.py")), name]
    host = Host(number, name, subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
    if host.process.stdout.readline() != "ready\n":
        raise RuntimeError(f"{name} could not be made; why stands above")
    return host


def run_command(command, variables, folder):
    """The agent's process: it ends with the command's status."""
    words = [launchers.AGENT, "host1", shlex.join(command)]
    return subprocess.Popen(words, env={**os.environ, **variables}, cwd=folder)


def wait_for(command, needed):
    """The command's status; as process 1 of the namespace it learns of every end."""
    while True:
        pid, status = os.wait()
        if pid == command.pid:
            return os.waitstatus_to_exitcode(status)
        for what, process in needed.items():
            if pid == process.pid:
                raise RuntimeError(f"{what} has ended before the command")


def main(settings):
    end_with_the_tool(settings["lifeline"])
    names = [f"host{number}" for number in range(1, settings["hosts"] + 1)]
    make_folder(names)
    hosts = [start_host(number, name) for number, name in enumerate(names, 1)]
    needed = {host.name: host.process for host in hosts}
    for process in network.join(hosts, settings["rate"], settings["delay_ns"]):
        needed["the delay line"] = process
    variables = launchers.environment(hosts, settings["slots"])
    return wait_for(run_command(settings["command"], variables, settings["folder"]), needed)


if __name__ == "__main__":
    try:
        sys.exit(main(json.loads(sys.argv[1])))
    except (RuntimeError, subprocess.CalledProcessError) as failure:
        sys.exit(f"emulated-hosts: {failure}")
