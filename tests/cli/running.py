# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command under test the way a user does, in an environment that holds nothing but what a test puts there."""
import json
import os
import subprocess

COMMAND = os.environ["COMMAND_UNDER_TEST"]
# What the loader and a sanitizer need; nothing of a shell that runs the tests may change an answer.
KEPT = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD")
        or name.endswith("SAN_OPTIONS")}


def run(*words, **variables):
    """The finished process: returncode, stdout, stderr."""
    return subprocess.run([COMMAND, *map(str, words)], env={**KEPT, **variables}, capture_output=True, text=True,
                          check=False, timeout=50)


def run_json(*words, **variables):
    """The JSON object that it prints with --json."""
    done = run(*words, "--json", **variables)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise AssertionError(f"{words}: no JSON ({error}):\n{done.stdout}\n{done.stderr}") from error


def page(name):
    """The roff of a manual page."""
    done = run("--man", name)
    assert done.returncode == 0, done.stderr
    return done.stdout
