# SPDX-License-Identifier: BSD-3-Clause
"""What the agent and the hosts agree on: where things lie, and one request and its answer over a Unix socket.

A request is the agent's standard input, output and error as descriptors, and JSON: the command, its folder, its
environment. The answer is the command's exit status. So nothing has to be copied between the two."""
import json
import socket
from pathlib import Path

FOLDER = Path("/run/emulated-hosts")  # in the cluster's own /run, which is gone with its last process
HEADER_BYTES = 8
UNREACHED = 255  # the agent's exit status where the command could not be run, as with ssh


def socket_of(host):
    return FOLDER / host / "agent"


def folder_for_temporary_files(host):
    return FOLDER / host / "tmp"


def listen(host):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(socket_of(host)))
    server.listen(64)
    return server


def send(connection, message, descriptors=()):
    text = json.dumps(message).encode()
    socket.send_fds(connection, [len(text).to_bytes(HEADER_BYTES, "big")], list(descriptors))
    connection.sendall(text)


def receive(connection):
    """(message, descriptors); (None, []) where the other side has gone."""
    header, descriptors, _, _ = socket.recv_fds(connection, HEADER_BYTES, 3)
    if len(header) < HEADER_BYTES:
        return None, descriptors
    wanted = int.from_bytes(header, "big")
    text = b""
    while len(text) < wanted:
        piece = connection.recv(wanted - len(text))
        if not piece:
            return None, descriptors
        text += piece
    return json.loads(text), descriptors


def run_on(host, line, environment, folder, streams=(0, 1, 2)):
    """Gives a shell on a host one line, and returns its exit status; None where the host has gone."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(socket_of(host)))
        send(connection, {"line": line, "environment": dict(environment), "folder": str(folder)}, streams)
        answer, _ = receive(connection)
    return None if answer is None else answer["status"]
