# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong with a run, tried with made-up launchers."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import layouts
import machine
import plan
import run

DRIVER = Path(run.__file__)
WHOLE = machine.reachable_cpus()  # whoever bound this test
MADE_UP = Path(__file__).with_name("made_up_twomesh.py")


class MadeUp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "bin").mkdir()
        (self.root / "path").mkdir()

    def script(self, place, content):
        file = self.root / place
        file.write_text("#!/bin/sh\n" + content)
        file.chmod(0o755)

    def demo(self, *words, driver=DRIVER, **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMITY_", "HWLOC_"))}
        environment = dict(kept, PATH=str(self.root / "path"), **variables)
        return subprocess.run([sys.executable, str(driver), "--build", str(self.root), *words], env=environment,
                              capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, WHOLE))


class Errors(MadeUp):
    def test_a_missing_mpi_names_the_package_and_the_other_mpi(self):
        self.script("path/mpirun.mpich", "")
        ended = self.demo("--mpi", "openmpi")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("apt-get install openmpi-bin", ended.stderr)
        self.assertIn("make demo MPI=mpich", ended.stderr)

    def test_a_missing_program_says_to_build_it(self):
        self.script("path/mpirun.openmpi", "")
        ended = self.demo()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("twomesh-openmpi: it is not there; build it first", ended.stderr)

    def test_a_missing_configuration_is_named(self):
        self.script("path/mpirun.openmpi", "")
        self.script("bin/twomesh-openmpi", "")
        ended = self.demo("--config", "nowhere.toml")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot read the configuration nowhere.toml", ended.stderr)

    def test_a_run_that_breaks_off_is_shown_with_its_words(self):
        self.script("path/mpirun.openmpi", "echo the disk is gone >&2; exit 3\n")
        self.script("bin/twomesh-openmpi", "")
        ended = self.demo("--quick")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ended with status 3", ended.stderr)
        self.assertIn("the disk is gone", ended.stderr)

    def test_an_unknown_mpi_is_bad_usage(self):
        self.assertEqual(self.demo("--mpi", "lam").returncode, 2)

    def test_an_output_folder_that_cannot_be_made_is_named(self):
        self.script("path/mpirun.openmpi", "")
        (self.root / "file").write_text("")
        ended = self.demo("--output", str(self.root / "file" / "demo"))
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"cannot use {self.root / 'file' / 'demo'}", ended.stderr)

    def test_a_simulated_machine_is_refused_with_the_variable_that_names_it(self):
        self.script("path/mpirun.openmpi", f"touch {self.root}/started\n")
        self.script("bin/twomesh-openmpi", "")
        ended = self.demo("--quick", HWLOC_SYNTHETIC="package:4 core:8 pu:1")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("cannot measure on a simulated machine, which has no time: unset HWLOC_SYNTHETIC", ended.stderr)
        self.assertFalse((self.root / "started").exists())


class WholeDemos(MadeUp):
    def demo(self, *words, status=0, **variables):
        self.script("path/mpirun.openmpi", f'exec {sys.executable} {MADE_UP} "$@"\n')
        self.script("bin/twomesh-openmpi", "")
        self.log = self.root / "log"
        ended = super().demo(*(words or ["--quick"]), MADE_UP_LOG=str(self.log), **variables)
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended

    def report(self):
        return json.loads((self.root / "demo" / "demo.json").read_text())

    def launches(self):
        """[(mode, steps)] of all runs, in order."""
        return [(line.split()[0], int(line.split()[1])) for line in self.log.read_text().splitlines()]

    def row(self, ended, mode):
        """The mode's row of times: words, without the star of a mode that is scaled."""
        rows = [line.split() for line in ended.stdout.splitlines() if line.split()[:1] == [mode]]
        return [row for row in rows if row[-1] in ("passed", "FAILED")][0]

    def test_settings_of_the_shell_are_taken_away_from_every_run_and_named(self):
        said = self.demo(COMITY_NODE_HANDOVER="none", COMITY_LOG="debug").stderr.splitlines()
        self.assertEqual([line for line in said if "COMITY_" in line], [
            "make demo: it shows Comity's defaults; taken away from all runs: COMITY_LOG, COMITY_NODE_HANDOVER"])
        seen = self.log.read_text()
        self.assertIn("MADE_UP_LOG", seen)
        self.assertNotIn("COMITY_", seen)

    def test_without_settings_nothing_is_said_of_them(self):
        self.assertNotIn("taken away", self.demo().stderr)

    def test_a_warning_of_many_ranks_and_runs_is_shown_once_and_kept(self):
        lines = [line for line in self.demo().stdout.splitlines() if "comity: " in line]
        self.assertEqual(lines, ["comity: warning: [openmp] made up (really) (in comity, comity-callee)"])
        self.assertEqual(self.report()["warnings"], [{"says": "comity: warning: [openmp] made up (really)",
                                                      "modes": ["comity", "comity-callee"]}])

    def test_a_check_that_fails_in_one_mode_fails_the_demo_and_that_mode_alone(self):
        ended = self.demo(status=1, MADE_UP_FAILS="comity")
        self.assertTrue(ended.stdout.splitlines()[-1].startswith("make demo: FAILED: check residual in comity; "))
        found = self.report()
        self.assertFalse(found["checks_passed"])
        self.assertEqual({mode["mode"]: mode["checks_passed"] for mode in found["modes"]},
                         {mode: mode != "comity" for mode in layouts.MODES})
        for mode in layouts.MODES:
            self.assertEqual(self.row(ended, mode)[-1], "FAILED" if mode == "comity" else "passed", mode)

    def test_equation_1_is_of_one_run_of_one_rank_and_one_thread_which_is_checked_too(self):
        """On one core all layouts are that one."""
        ended = self.demo(status=1, MADE_UP_FAILS="1x1")
        shapes = [line.split()[2] for line in self.log.read_text().splitlines()]
        if len(WHOLE) > 1:
            self.assertEqual(shapes.count("1x1"), 1, shapes)
        self.assertIn("make demo: FAILED: check residual in under", ended.stdout.splitlines()[-1])

    def test_the_picture_shows_the_ideal_of_its_own_steps(self):
        """6 s in 3 runs of 0.2 s a step: 10 counted steps, of which the picture shows 4: 0.8 s of the ideal's 2 s."""
        self.demo("--seconds", "6", "--repeats", "3")
        found = self.report()
        self.assertEqual(found["steps"]["counted"], 10)
        self.assertAlmostEqual(found["ideal"]["total_s"], 2.0)
        self.assertIn(">ideal 800 ms<", (self.root / "demo" / "demo.svg").read_text())

    def test_a_slow_over_runs_fewer_steps_less_often_and_its_times_are_scaled(self):
        """6 s in 3 runs of 0.2 s a step: 10 counted steps; of 1 s a step: no fewer than 3, and 2 runs. A counted run has
        its first step besides; a trial has 3 steps, a run for the picture 5, and there are five of those of a mode but of `over`."""
        ended = self.demo("--seconds", "6", "--repeats", "3", MADE_UP_SLOW="over")
        steps = {mode: [count for name, count in self.launches() if name == mode] for mode in layouts.MODES}
        self.assertEqual(steps["over"], [3, 4, 4, 5])
        for mode in ("comity", "comity-callee", "under-full"):
            self.assertEqual(steps[mode], [11, 11, 11] + [5] * plan.TIMELINES, mode)
        modes = {mode["mode"]: mode for mode in self.report()["modes"]}
        self.assertEqual({mode: found["scaled"] for mode, found in modes.items()},
                         {mode: mode == "over" for mode in layouts.MODES})
        self.assertEqual((modes["over"]["steps"], modes["comity"]["steps"]), (3, 10))
        self.assertAlmostEqual(modes["over"]["total_s"], 10.0)
        self.assertAlmostEqual(modes["over"]["speedup"], 0.2)
        for mode in layouts.MODES:
            self.assertEqual(self.row(ended, mode)[1] == "*", mode == "over", mode)
        self.assertIn("* over ran 3 of 10 steps, 2 times; its times are scaled.", ended.stdout)

    def test_an_over_that_does_not_end_is_left_out_and_the_others_go_on(self):
        patient = self.root / "patient.py"  # the demo, with less patience
        patient.write_text(f"import sys\nsys.path.insert(0, {str(DRIVER.parent)!r})\nimport plan\nimport run\n"
                           "plan.OVER_TRIAL_S = 0.5\nsys.exit(run.main())\n")
        ended = self.demo(driver=patient, MADE_UP_HANGS="over")
        found = self.report()
        self.assertEqual([mode["mode"] for mode in found["modes"]], [mode for mode in layouts.MODES if mode != "over"])
        self.assertEqual(found["not_finished"], [{"mode": "over", "limit_s": 0.5}])
        self.assertIn("over did not end its trial within 0.5 s and was left out.", ended.stdout)
        self.assertNotIn("over", {mode for mode, _ in self.launches()})
        self.assertTrue((self.root / "demo" / "demo.svg").exists())

    def test_the_layout_of_under_is_a_candidate_for_the_ideal(self):
        self.demo()
        found = self.report()
        under = found["modes"][0]
        self.assertEqual(found["static_layouts"][f"{under['ranks']}x{under['threads']}"], under["phases"])


if __name__ == "__main__":
    unittest.main()
