# SPDX-License-Identifier: BSD-3-Clause
"""host.py NAME: the first process of an emulated host. It makes the host's own kernel file systems, name and boot id,
says that it is ready, and then runs what agents ask for; as process 1 it also takes orphans. It is started in
namespaces of its own (cluster.py), and everything on the host ends with it."""
import os
import signal
import socket
import subprocess
import sys
import uuid

sys.dont_write_bytecode = True

import wire

# The system's /sys shows the devices of the network namespace in which it was mounted; cgroups are the machine's.
FILE_SYSTEMS = """
mount -t proc proc /proc
mkdir {old}
mount --rbind /sys {old}
mount -t sysfs sysfs /sys
if [ -d {old}/fs/cgroup ]; then mount --rbind {old}/fs/cgroup /sys/fs/cgroup; fi
umount -l {old}
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount --bind {boot_id} /proc/sys/kernel/random/boot_id
mount --bind {names} /etc/hosts
ip link set lo up
"""


def make(name):
    folder = wire.FOLDER / name
    wire.folder_for_temporary_files(name).mkdir(mode=0o1777)
    boot_id = folder / "boot_id"
    boot_id.write_text(f"{uuid.uuid4()}\n", encoding="ascii")
    script = FILE_SYSTEMS.format(old=folder / "sys", boot_id=boot_id, names=wire.FOLDER / "hosts")
    subprocess.run(["sh", "-euc", script], check=True)
    socket.sethostname(name)


def run(request, streams, name):
    """The exit status that a shell would give; the agent's own where there is no shell in that folder."""
    environment = {**request["environment"], "HOSTNAME": name,
                   "TMPDIR": str(wire.folder_for_temporary_files(name))}
    try:
        done = subprocess.run(["/bin/sh", "-c", request["line"]], cwd=request["folder"], env=environment,
                              stdin=streams[0], stdout=streams[1], stderr=streams[2], start_new_session=True,
                              check=False)
    except OSError as error:
        os.write(streams[2], f"emulated-hosts: {name} cannot run {request['line']}: {error}\n".encode())
        return wire.UNREACHED
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def answer(connection, name):
    request, streams = wire.receive(connection)
    if request is None or len(streams) != 3:
        return
    try:
        wire.send(connection, {"status": run(request, streams, name)})
    except BrokenPipeError:
        pass  # the agent was killed; the command ran on, as with rsh


def take_orphans(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


def serve(server, name):
    signal.signal(signal.SIGCHLD, take_orphans)
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            server.close()
            answer(connection, name)
            os._exit(0)
        connection.close()


if __name__ == "__main__":
    make(sys.argv[1])
    listening = wire.listen(sys.argv[1])
    print("ready", flush=True)
    serve(listening, sys.argv[1])
