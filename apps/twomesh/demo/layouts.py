# SPDX-License-Identifier: BSD-3-Clause
"""Layouts: who runs where in each mode, and the words that launch it. Pure: nothing is run here."""
from dataclasses import dataclass

MODES = ("under", "over", "comity", "comity-callee", "under-full")
MPIS = ("openmpi", "mpich")

# What would decide for the layouts if the caller's shell had set it.
SETTING_PREFIX = "COMITY_"
FOREIGN_PREFIXES = (SETTING_PREFIX, "OMP_", "GOMP_", "KMP_", "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps",
                    "HYDRA_BINDING", "HYDRA_MAPPING", "HYDRA_TOPO")


@dataclass(frozen=True)
class Layout:
    mode: str      # the program's --mode
    ranks: int
    threads: int   # of a rank in L1; 0: the program sizes its teams itself
    binding: str   # "cores": the launcher binds each rank to `threads` cores; "none": nobody; "its own": it is not told

    @property
    def shape(self):
        if self.threads:
            return f"{self.ranks}x{self.threads}"
        return "1 rank" if self.ranks == 1 else f"{self.ranks} ranks"


def static_layouts(cores):
    """Every split of the cores into equal ranks, wide ones first, bound as a careful user binds them."""
    return [Layout("under", ranks, cores // ranks, "cores") for ranks in range(1, cores + 1) if cores % ranks == 0]


def serial_layout():
    return Layout("under", 1, 1, "cores")


def under_candidates(cores):
    """`under` runs few wide ranks: fewer than cores, where there is more than one core."""
    return [layout for layout in static_layouts(cores) if layout.ranks < cores or cores == 1]


def mode_layouts(under, cores):
    """The five modes. `under`: the best of the candidates, as measured. Comity binds its ranks itself, whatever the
    launcher does when nobody tells it (Open MPI binds two ranks to a core each, MPICH binds nobody)."""
    return {
        "under": under,
        "over": Layout("over", cores, cores, "none"),
        "comity": Layout("comity", cores, 0, "its own"),
        "comity-callee": Layout("comity-callee", cores, 0, "its own"),
        "under-full": Layout("under-full", under.ranks, 0, "its own"),
    }


def binding_words(mpi, layout):
    if layout.binding == "its own":
        return []
    if layout.binding == "cores":
        if mpi == "openmpi":
            return ["--map-by", f"slot:PE={layout.threads}", "--bind-to", "core"]
        return ["-bind-to", f"core:{layout.threads}", "-map-by", f"core:{layout.threads}"]
    return ["--bind-to", "none"] if mpi == "openmpi" else ["-bind-to", "none"]


def launch_words(mpi, launcher, layout):
    return [launcher, "-n", str(layout.ranks)] + binding_words(mpi, layout)


def program_words(layout, steps):
    return ["--mode", layout.mode, "--threads", str(layout.threads), "--steps", str(steps)]


def environment_words(layout):
    """What the layout's user exports: the team's size, and where its threads stay if that user binds."""
    words = {}
    if layout.threads:
        words["OMP_NUM_THREADS"] = str(layout.threads)
    if layout.binding == "cores":
        words.update(OMP_PLACES="cores", OMP_PROC_BIND="close")
    return words


def environment(base, layout, is_root):
    kept = {name: value for name, value in base.items() if not name.startswith(FOREIGN_PREFIXES)}
    if is_root:  # Open MPI refuses to start as root unless it is told twice that this is meant
        kept.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    kept.update(environment_words(layout))
    return kept


def settings_taken_away(base):
    """Whoever set them expects them to count, and is told that they do not."""
    return sorted(name for name in base if name.startswith(SETTING_PREFIX))


def shown_line(mpi, layout):
    """The launch line as a person would type it."""
    assigned = [f"{name}={value}" for name, value in environment_words(layout).items()]
    threads = ["--threads", str(layout.threads)] if layout.threads else []
    return " ".join(assigned + launch_words(mpi, "mpirun." + mpi, layout)
                    + [f"twomesh-{mpi}", "--mode", layout.mode] + threads)
