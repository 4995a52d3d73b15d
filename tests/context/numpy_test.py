# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's pool (its BLAS's threads) under pushes: numpy_test.py LIBCOMITY MACHINE_H. Exit 77 where NumPy, its pool or a
second core is missing."""
import ctypes
import os
import re
import sys

try:
    import numpy
except ImportError:
    print("NOT TESTED: NumPy is not installed")
    sys.exit(77)
if len(os.sched_getaffinity(0)) < 2:
    print("NOT TESTED: one CPU only, no mask differs from another")
    sys.exit(77)


def masks():
    """The masks of all threads of this process, as a set of tuples."""
    return {tuple(sorted(os.sched_getaffinity(int(task)))) for task in os.listdir("/proc/self/task")}


def constants(header):
    """The values of comity_type by name."""
    with open(header, encoding="utf-8") as text:
        return {name: int(value) for name, value in re.findall(r"(COMITY_[A-Z0-9]+) = (\d+)", text.read())}


def main(library, header):
    """Pushes reach the pool twenty times, and pops give back what was."""
    types = constants(header)
    comity = ctypes.CDLL(library)
    comity.comity_last_error.restype = ctypes.c_char_p
    wide = tuple(sorted(os.sched_getaffinity(0)))
    matrix = numpy.ones((300, 300))
    assert (matrix @ matrix)[0, 0] == 300.0  # the pool exists now
    threads = len(os.listdir("/proc/self/task"))

    def call(name, *arguments):
        status = getattr(comity, name)(*arguments)
        assert status == 0, f"{name}: {comity.comity_last_error().decode()}"

    context = ctypes.c_void_p()
    call("comity_context_create_local", ctypes.byref(context))
    for _ in range(20):
        call("comity_context_push", context, types["COMITY_CORE"], 0)
        narrow = masks()
        assert len(narrow) == 1 and narrow != {wide}, narrow
        assert (matrix @ matrix)[0, 0] == 300.0
        call("comity_context_push", context, types["COMITY_MACHINE"], 0)
        assert masks() == {wide}, masks()
        assert (matrix @ matrix)[0, 0] == 300.0
        call("comity_context_pop", context)
        call("comity_context_pop", context)
        assert masks() == {wide}, masks()
    call("comity_context_free", ctypes.byref(context))
    print(f"NumPy {numpy.__version__}: {threads} threads" + (" were reached by every push" if threads > 1 else ": NOT TESTED"))
    return 0 if threads > 1 else 77


sys.exit(main(*sys.argv[1:]))
