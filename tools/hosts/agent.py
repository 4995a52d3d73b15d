#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""agent.py [OPTION...] HOST WORD...: the rsh of the emulated hosts, which launchers start ranks with.

As with rsh and ssh the words are joined and given to a shell on the host; options are theirs, in one word each, and mean
nothing here.
Other than with them the command gets this environment, and runs in this folder. Its exit status is the agent's; 255
says that it could not be run."""
import os
import sys

sys.dont_write_bytecode = True  # the source folder stays as it was

import wire


def main(words):
    while words and words[0].startswith("-"):
        words = words[1:]
    if len(words) < 2:
        sys.exit("usage: agent.py [OPTION...] HOST WORD...")
    host, line = words[0], " ".join(words[1:])
    try:
        status = wire.run_on(host, line, os.environ, os.getcwd())
    except OSError as error:
        known = os.environ.get("EMULATED_HOSTS", "none: is this inside tools/emulated-hosts run?")
        print(f"emulated-hosts: cannot reach {host}: {error.strerror}; the hosts are {known}", file=sys.stderr)
        return wire.UNREACHED
    if status is None:
        print(f"emulated-hosts: {host} has gone while it ran: {line}", file=sys.stderr)
    return wire.UNREACHED if status is None else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
