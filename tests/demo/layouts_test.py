# SPDX-License-Identifier: BSD-3-Clause
import unittest

import layouts
from layouts import Layout


class Layouts(unittest.TestCase):
    def test_static_layouts_are_all_equal_splits_of_the_cores(self):
        self.assertEqual([layout.shape for layout in layouts.static_layouts(6)], ["1x6", "2x3", "3x2", "6x1"])

    def test_under_has_fewer_ranks_than_cores(self):
        self.assertEqual([layout.shape for layout in layouts.under_candidates(2)], ["1x2"])
        self.assertEqual([layout.shape for layout in layouts.under_candidates(4)], ["1x4", "2x2"])

    def test_one_core_has_one_layout(self):
        self.assertEqual([layout.shape for layout in layouts.under_candidates(1)], ["1x1"])
        self.assertEqual(layouts.mode_layouts(layouts.serial_layout(), 1)["comity"].shape, "1 rank")

    def test_over_starts_as_many_threads_as_cores_on_each_rank(self):
        over = layouts.mode_layouts(layouts.static_layouts(4)[1], 4)["over"]
        self.assertEqual((over.ranks, over.threads, over.binding), (4, 4, "none"))

    def test_under_full_has_the_ranks_of_under(self):
        self.assertEqual(layouts.mode_layouts(layouts.static_layouts(4)[1], 4)["under-full"].ranks, 2)

    def test_all_five_modes_are_there_in_order(self):
        self.assertEqual(tuple(layouts.mode_layouts(layouts.static_layouts(2)[0], 2)), layouts.MODES)


class LaunchLines(unittest.TestCase):
    def test_the_launcher_is_told_of_no_binding_where_comity_binds(self):
        modes = layouts.mode_layouts(layouts.static_layouts(2)[0], 2)
        for mode in ("comity", "comity-callee", "under-full"):
            for mpi in layouts.MPIS:
                self.assertEqual(layouts.binding_words(mpi, modes[mode]), [])

    def test_a_static_layout_binds_each_rank_to_its_cores(self):
        wide = Layout("under", 2, 4, "cores")
        self.assertEqual(layouts.launch_words("openmpi", "mpirun", wide),
                         ["mpirun", "-n", "2", "--map-by", "slot:PE=4", "--bind-to", "core"])
        self.assertEqual(layouts.launch_words("mpich", "mpirun", wide),
                         ["mpirun", "-n", "2", "-bind-to", "core:4", "-map-by", "core:4"])

    def test_over_is_not_bound(self):
        over = Layout("over", 2, 2, "none")
        self.assertEqual(layouts.binding_words("openmpi", over), ["--bind-to", "none"])
        self.assertEqual(layouts.binding_words("mpich", over), ["-bind-to", "none"])


class Environments(unittest.TestCase):
    def test_what_the_shell_says_about_teams_does_not_decide(self):
        base = {"PATH": "/bin", "OMP_PROC_BIND": "spread", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0",
                "COMITY_NODE_HANDOVER": "none"}
        self.assertEqual(layouts.environment(base, Layout("comity", 2, 0, "none"), is_root=False), {"PATH": "/bin"})

    def test_a_careful_user_binds_the_threads_too(self):
        words = layouts.environment({}, Layout("under", 1, 2, "cores"), is_root=False)
        self.assertEqual(words, {"OMP_NUM_THREADS": "2", "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"})

    def test_only_root_tells_open_mpi_that_root_is_meant(self):
        layout = Layout("comity", 2, 0, "none")
        self.assertEqual(layouts.environment({}, layout, is_root=False), {})
        self.assertEqual(layouts.environment({}, layout, is_root=True)["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"], "1")

    def test_the_shown_line_can_be_typed(self):
        self.assertEqual(layouts.shown_line("openmpi", Layout("over", 2, 2, "none")),
                         "OMP_NUM_THREADS=2 mpirun.openmpi -n 2 --bind-to none twomesh-openmpi --mode over --threads 2")


if __name__ == "__main__":
    unittest.main()
