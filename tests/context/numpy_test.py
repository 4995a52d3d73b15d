# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's pool (its BLAS's threads) under pushes: numpy_test.py LIBRARY MACHINE_H [half|twice]. LIBRARY is libcomity, or
under a launcher libcomity_mpi: then the context is of MPI_COMM_WORLD. The pool has as many members as the process has CPUs, or
half or twice as many, which have a core each where its BLAS places them. Exit 77 where NumPy, its pool, a way to size or to
place it, or a second core is missing."""
import ctypes
import os
import re
import sys
import time

os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")  # its members sleep soon, which a watched product waits for
try:
    import numpy
except ImportError:
    print("NOT TESTED: NumPy is not installed")
    sys.exit(77)
if len(os.sched_getaffinity(0)) < 2:
    print("NOT TESTED: one CPU only, no mask differs from another")
    sys.exit(77)


REGIONS = 1000
ROUNDS = 20
MOST_AT_WORK = 16  # for more members a product would have to be so large that it takes long
ROWS_OF_A_PIECE = 32  # on no processor does OpenBLAS ask for more


def threads():
    """All threads of this process."""
    return sorted(int(task) for task in os.listdir("/proc/self/task"))


def masks_by_thread(members):
    """The mask of each of these threads, as a tuple."""
    return {member: tuple(sorted(os.sched_getaffinity(member))) for member in members}


def masks(members):
    """The masks of these threads, as a set of tuples."""
    return set(masks_by_thread(members).values())


def constants(header):
    """The values of comity_type by name."""
    with open(header, encoding="utf-8") as text:
        return {name: int(value) for name, value in re.findall(r"(COMITY_[A-Z0-9]+) = (\d+)", text.read())}


def world(library):
    """MPI_COMM_WORLD as this MPI passes it: Open MPI's is an object, MPICH's a number."""
    try:
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world")))
    except ValueError:
        return ctypes.c_int(0x44000000)


def expect_on(pool, cpus):
    """Every member is on just these CPUs, says the kernel."""
    assert masks(pool) == {cpus}, (masks(pool), cpus)


def work(thread):
    """What the kernel has counted of a thread: whether it sleeps, the nanoseconds that it ran (0 where nobody counts), its last CPU."""
    with open(f"/proc/self/task/{thread}/stat", encoding="utf-8") as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    try:
        with open(f"/proc/self/task/{thread}/schedstat", encoding="utf-8") as schedstat:
            ran_ns = int(schedstat.read().split()[0])
    except FileNotFoundError:
        ran_ns = 0
    return words[0] == "S", ran_ns, int(words[36])


def becomes_true(condition):
    """False where it has not come true by a limit that no crowded machine reaches."""
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.0001)
    return True


def expect_at_work(may_run_on, members):
    """A product wakes members that slept, and they run where they may. One that only spins has run too, and tells nothing."""
    size = max(200, ROWS_OF_A_PIECE * min(members, MOST_AT_WORK))
    matrix = numpy.ones((size, size))
    workers = [thread for thread in may_run_on if thread != os.getpid()]
    assert becomes_true(lambda: all(work(worker)[0] for worker in workers)), "idle members do not sleep"
    before = {worker: work(worker)[1] for worker in workers}
    assert (matrix @ matrix)[0, 0] == size

    def woken():
        return [worker for worker in workers if work(worker)[1] > before[worker]]

    assert becomes_true(lambda: len(woken()) >= min(members, MOST_AT_WORK) - 1), (members, woken())
    ran_on = {worker: work(worker)[2] for worker in woken()}
    assert all(cpu in may_run_on[worker] for worker, cpu in ran_on.items()), (ran_on, may_run_on)


def expect_regions_on(pool, cpus, members, regions):
    """So it is before the first region, in which all work, and after each. `members` is 0 where nobody knows how many do."""
    matrix = numpy.ones((200, 200))
    expect_on(pool, cpus)
    if members > 0 and work(os.getpid())[1] > 0:
        expect_at_work(masks_by_thread(pool), members)
    for _ in range(regions):
        assert (matrix @ matrix)[0, 0] == 200.0
        expect_on(pool, cpus)


def openblas(call):
    """This call of NumPy's BLAS; None where that is no OpenBLAS, or one without the call."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        libraries = {line.split()[-1] for line in maps if "blas" in line.lower()}
    for library in sorted(libraries):
        for prefix in ("", "scipy_"):
            for suffix in ("", "64_"):
                function = getattr(ctypes.CDLL(library), f"{prefix}openblas_{call}{suffix}", None)
                if function is not None:
                    return function
    return None


def resize(size):
    """NumPy's BLAS works with so many threads from now on; False where it does not say how to do that (OpenBLAS does)."""
    setter = openblas("set_num_threads")
    if setter is not None:
        setter(size)
    return setter is not None


def cores_in(cpus):
    """The cores of these CPUs, each as a tuple of those of its CPUs; a core each where the kernel does not tell."""
    cores = {}
    for cpu in cpus:
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", encoding="utf-8") as siblings:
                lowest = int(re.match(r"\d+", siblings.read()).group())
        except FileNotFoundError:
            lowest = cpu
        cores.setdefault(lowest, []).append(cpu)
    return [tuple(core) for core in cores.values()]


def can_place(cpus):
    """Whether members can have a core each of these CPUs: not where the BLAS has no call for it, or there is one core."""
    return openblas("setaffinity") is not None and len(cores_in(cpus)) > 1


def place(cpus, members):
    """The members, of which the caller is the last, on the cores of these CPUs in turn."""
    cores = cores_in(cpus)
    for member in range(members):
        mask = sum(1 << cpu for cpu in cores[member % len(cores)]).to_bytes(1024, "little")
        assert openblas("setaffinity")(member, ctypes.c_size_t(len(mask)), mask) == 0, member


def expect_regions_on_a_core_each(pool, cpus, members, regions):
    """Members that the BLAS has placed, evenly where they are more than the cores, stay where they are in each region."""
    matrix = numpy.ones((200, 200))
    place(cpus, members)
    placed = masks_by_thread(pool)
    on_core = [list(placed.values()).count(core) for core in cores_in(cpus)]
    assert sum(on_core) == members and max(on_core) - min(on_core) <= 1, placed
    if work(os.getpid())[1] > 0:
        expect_at_work(placed, members)
    for _ in range(regions):
        assert (matrix @ matrix)[0, 0] == 200.0
        assert masks_by_thread(pool) == placed, (masks_by_thread(pool), placed)


def own_cpus():
    """Those of the main thread."""
    return tuple(sorted(os.sched_getaffinity(0)))


def under_pushes(call, types, pool, wide, members):
    """Twenty times: a push to one core, and a wide one inside it."""
    context = ctypes.c_void_p()
    call("comity_context_create_local", ctypes.byref(context))
    for _ in range(ROUNDS):
        call("comity_context_push", context, types["COMITY_CORE"], 0)
        narrow = own_cpus()
        assert narrow != wide, wide
        expect_regions_on(pool, narrow, members, REGIONS // ROUNDS // 2)
        call("comity_context_push", context, types["COMITY_MACHINE"], 0)
        expect_regions_on(pool, wide, members, REGIONS // ROUNDS // 2)
        if can_place(wide):
            expect_regions_on_a_core_each(pool, wide, members, REGIONS // ROUNDS)
        call("comity_context_pop", context)
        expect_on(pool, narrow)
        call("comity_context_pop", context)
        expect_on(pool, wide)
    call("comity_context_free", ctypes.byref(context))


def in_phases(call, types, pool, wide, members, communicator):
    """Of ranks that are spread: twenty phases of one of them on the whole machine."""
    context = ctypes.c_void_p()
    call("MPI_Init", None, None)
    call("comity_context_create", communicator, ctypes.byref(context))
    call("comity_context_spread", context, types["COMITY_CORE"])
    narrow = own_cpus()
    assert narrow != wide, wide
    for _ in range(ROUNDS):
        expect_on(pool, narrow)
        selected = ctypes.c_int32()
        call("comity_context_enter", context, types["COMITY_MACHINE"], 1, 0, ctypes.byref(selected))
        if selected.value:
            expect_regions_on(pool, wide, members, REGIONS // ROUNDS)
            if can_place(wide):
                expect_regions_on_a_core_each(pool, wide, members, REGIONS // ROUNDS)
        call("comity_context_leave", context)
    expect_on(pool, narrow)
    call("comity_context_pop", context)
    expect_on(pool, wide)
    call("comity_context_free", ctypes.byref(context))
    call("MPI_Finalize")


def main(path, header, size="same"):
    """Each binding reaches the pool and holds for some of a thousand regions, as does a core each in it; its end gives back
    what was."""
    wide = own_cpus()
    members = {"half": max(len(wide) // 2, 1), "same": len(wide), "twice": 2 * len(wide)}[size]
    sized = resize(members)
    if size != "same" and not sized:
        print("NOT TESTED: this NumPy's BLAS is no OpenBLAS, whose pool could be sized")
        return 77
    assert (numpy.ones((300, 300)) @ numpy.ones((300, 300)))[0, 0] == 300.0
    pool = threads()  # before MPI has threads of its own, which no push may touch
    assert size != "twice" or len(pool) == members, (len(pool), members)
    if len(pool) < 2:
        print("NOT TESTED: this NumPy has no pool")
        return 77
    comity = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    comity.comity_last_error.restype = ctypes.c_char_p

    def call(name, *arguments):
        status = getattr(comity, name)(*arguments)
        assert status == 0, f"{name}: {comity.comity_last_error().decode()}"

    if hasattr(comity, "comity_context_create"):
        in_phases(call, constants(header), pool, wide, members if sized else 0, world(comity))
    else:
        under_pushes(call, constants(header), pool, wide, members if sized else 0)
    print(f"NumPy {numpy.__version__}: {len(pool)} threads, {members} at work, were reached by every push and ran there")
    if not can_place(wide):
        print("NOT TESTED: members on a core each, for NumPy's BLAS cannot place them (OpenBLAS can), or there is one core")
        return 77
    return 0


sys.exit(main(*sys.argv[1:]))
