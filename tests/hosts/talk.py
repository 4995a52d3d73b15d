# SPDX-License-Identifier: BSD-3-Clause
"""talk.py round-trips|stream COUNT: between host1, where it is run, and host2: the shortest of COUNT round trips, or
how long COUNT bytes take until all are there, in seconds. Its other end starts itself on host2."""
import os
import socket
import subprocess
import sys
import time

PORT = 7777


def receive(connection, wanted):
    left = wanted
    while left > 0:
        left -= len(connection.recv(min(left, 1 << 20)))


def answer(mode, count):
    with socket.create_server(("", PORT)) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if mode == "stream":
        receive(connection, count)
        connection.sendall(b"!")
    else:
        for _ in range(count):
            connection.sendall(connection.recv(1))


def ask(mode, count, connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times_s = []
    for _ in range(1 if mode == "stream" else count):
        start_s = time.monotonic()
        connection.sendall(bytes(count if mode == "stream" else 1))
        receive(connection, 1)
        times_s.append(time.monotonic() - start_s)
    return min(times_s)


def main(mode, count, *role):
    if role:
        answer(mode, int(count))
        return
    there = [os.environ["EMULATED_HOSTS_AGENT"], "host2", sys.executable, __file__, mode, count, "answer"]
    with subprocess.Popen(there, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with socket.create_connection(("host2", PORT)) as connection:
            print(ask(mode, int(count), connection))


if __name__ == "__main__":
    main(*sys.argv[1:])
