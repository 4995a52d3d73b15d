# SPDX-License-Identifier: BSD-3-Clause
"""`comity run`: its words, its errors, its dry runs, and how the program's end comes through. The launcher is a script that
prints its words. ctest sets COMITY_MPI, an MPI that this build has a library for."""
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from running import COMMAND, KEPT, run  # noqa: E402  pylint: disable=wrong-import-position

MPI = os.environ["COMITY_MPI"]
SRUN = """#!/bin/sh
[ "$1" = --version ] && echo "slurm 22.05.8" && exit 0
printf '%s\\n' "$@"
echo "preload of the launcher: ${LD_PRELOAD:-none}"
exit 4
"""
# Ends by SIGTERM and then tells how often it was interrupted.
COUNTER = """#!/usr/bin/python3
import os, signal, sys
if sys.argv[1:] == ["--version"]:
    print("slurm 22.05.8")
    sys.exit(0)
interrupts = []
signal.signal(signal.SIGINT, lambda *_: (interrupts.append(1), os.write(1, b"interrupted\\n")))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(len(interrupts)))
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="comity-run-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.app = self.put("app", "#!/bin/sh\n")
        self.put("srun", SRUN)
        self.path = f"{self.folder}:{KEPT['PATH']}"

    def put(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def comity(self, *words, **variables):
        return run("run", "--mpi", MPI, *words, PATH=self.path, **variables)

    def dry(self, *words, **variables):
        done = self.comity("--dry-run", *words, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_refused(self, code, sentence, *words):
        done = run("run", *words, PATH=self.path)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(sentence, done.stderr)


class Words(Case):
    def test_a_command_without_its_dashes_is_told_where_they_belong(self):
        self.assert_refused(2, "comity run [OPTIONS] -- mpirun ..", "--metrics", "mpirun", "-n", "2", self.app)
        self.assert_refused(2, "comity run [OPTIONS] -- mpirun ..", "--record", "out", "mpirun", self.app)

    def test_no_command_is_bad_usage(self):
        for words in (), ("--metrics",), ("--",), ("--metrics", "--"):
            self.assert_refused(2, "there is no command", *words)

    def test_values_that_make_no_sense_are_bad_usage(self):
        app = ("--", "srun", self.app)
        self.assert_refused(2, "--ranks takes a number from 1 on", "-n", "0", *app)
        self.assert_refused(2, "--ranks", "-n", "two", *app)
        self.assert_refused(2, "there is no --mpi openmp; did you mean openmpi?", "--mpi", "openmp", *app)
        self.assert_refused(2, "64..1048576", "--record", "out", "--record-budget", "12", *app)
        self.assert_refused(2, "64..1048576", "--record", "out", "--record-budget", "4M", *app)
        self.assert_refused(2, "--record-budget goes with --record", "--record-budget", "100", *app)
        self.assert_refused(2, "--record has an empty value", "--record", "", *app)
        self.assert_refused(2, "--json goes with --dry-run", "--json", *app)
        self.assert_refused(2, "--metrics-json FILE goes with --metrics", "--metrics-json", "figures", *app)
        self.assert_refused(2, "--metrics-json has an empty value", "--metrics", "--metrics-json", "", *app)
        self.assert_refused(2, "there is no --coop maybe, only off, auto and on", "--coop", "maybe", *app)
        self.assert_refused(2, "leave --ranks and --launcher out", "-n", "2", *app)

    def test_an_mpi_that_nobody_tells_is_asked_for(self):
        self.assert_refused(2, "say --mpi openmpi or --mpi mpich", "--", "srun", self.app)

    def test_what_is_not_there_is_named(self):
        self.assert_refused(1, "mpirun.absent is not here", "--", "mpirun.absent", self.app)
        self.assert_refused(1, "/absent/app is not here", "--mpi", MPI, "--", "srun", "/absent/app")
        self.assert_refused(1, "/absent/app is not here", "--mpi", MPI, "--", "/absent/app")

    def test_options_of_the_command_are_not_ours(self):
        words = shlex.split(self.dry("--", "srun", self.app, "--help", "--", "--metrics", "-n", "two words"))
        self.assertEqual(words[2:], [self.app, "--help", "--", "--metrics", "-n", "two words"])


class DryRun(Case):
    def test_it_prints_the_words_that_the_launcher_gets(self):
        line = ("--metrics", "--", "srun", "-n", "2", self.app, "it's", "a b", "$HOME")
        printed = shlex.split(self.dry(*line))
        done = self.comity(*line)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(["srun", *done.stdout.splitlines()[:-1]], printed)
        self.assertRegex(printed[1], rf"^--export=ALL,LD_PRELOAD=/\S+/libcomity_preload-{MPI}\.so[^,]*,COMITY_METRICS=on,COMITY_COOP=auto$")
        self.assertEqual(done.stdout.splitlines()[-1],
                         "preload of the launcher: " + KEPT.get("LD_PRELOAD", "none"))

    def test_as_json_it_is_one_object(self):
        told = json.loads(self.dry("--json", "--metrics", "-n", "3", "--launcher", "srun", "--", self.app, "x"))
        self.assertEqual(told["command"][0], "srun")
        self.assertEqual(told["command"][2:], ["-n", "3", self.app, "x"])
        self.assertEqual((told["mpi"], told["launcher"]), (MPI, "Slurm 22.05.8"))
        self.assertEqual(list(told["environment"]), ["LD_PRELOAD", "COMITY_METRICS", "COMITY_COOP"])

    def test_reordering_is_a_variable_of_the_ranks(self):
        told = json.loads(self.dry("--json", "--reorder", "-n", "3", "--launcher", "srun", "--", self.app))
        self.assertEqual(told["environment"]["COMITY_REORDER"], "on")

    def test_a_program_alone_is_printed_with_its_variables(self):
        printed = shlex.split(self.dry("--metrics", "--", self.app, "x"))
        self.assertRegex(printed[0], r"^LD_PRELOAD=/")
        self.assertEqual(printed[1:], ["COMITY_METRICS=on", self.app, "x"])


class Coop(Case):
    """Which calls wait as the library does is compared with the library in tests/coop."""
    def told(self, *words, **variables):
        told = json.loads(self.dry("--json", *words, "--", "srun", self.app, **variables))
        return told["environment"].get("COMITY_COOP"), told["coop"]

    def test_auto_is_the_default_and_leaves_hosts_to_the_ranks(self):
        for words in (), ("--coop", "auto"):
            variable, coop = self.told(*words)
            self.assertEqual((variable, coop["setting"]), ("auto", "auto"))
            self.assertEqual(coop["why"], "how many ranks share a node is known to them alone")
            self.assertEqual("MPI_Win_lock" in coop["passes_through"], MPI == "mpich", "Open MPI calls back from its waits")
            self.assertNotIn("MPI_Recv", coop["passes_through"])
            self.assertEqual(coop["passes_through_with_many_threads"], coop["passes_through"], "a script does not tell of UCX")
            between = coop["between_nodes"]["passes_through"]
            self.assertEqual("MPI_Win_fence" in between, MPI == "mpich")
            self.assertNotIn("MPI_Comm_dup", between, "it has a form that waits for nobody")
            self.assertFalse(set(between) & set(coop["passes_through"]))

    def test_off_gives_nothing_and_lists_nothing(self):
        self.assertEqual(self.told("--coop", "off"), ("off", {"setting": "off", "why": "asked for", "passes_through": [],
                                                              "passes_through_with_many_threads": [],
                                                              "between_nodes": {"passes_through": [],
                                                                                "passes_through_with_many_threads": []}}))

    def test_a_variable_of_the_user_counts_where_no_switch_does(self):
        self.assertEqual(self.told(COMITY_COOP="on")[1]["setting"], "on")
        self.assertIsNone(self.told(COMITY_COOP="on")[0], "the ranks have it already")
        self.assertEqual(self.told("--coop", "off", COMITY_COOP="on")[0], "off")
        refused = self.comity("--dry-run", "--", "srun", self.app, COMITY_COOP="maybe")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("COMITY_COOP=maybe is outside its range, off|auto|on", refused.stderr)

    def test_a_program_alone_has_nobody_to_wait_for(self):
        for words, setting in ((), "off"), (("--coop", "on"), "on"):
            told = json.loads(self.dry("--json", *words, "--", self.app))
            self.assertEqual(told["coop"]["setting"], setting)
            self.assertEqual(told["environment"].get("COMITY_COOP", "off"), setting)

    def test_on_lists_as_comments_the_calls_that_wait_as_they_did(self):
        printed = self.dry("--coop", "on", "--", "srun", self.app)
        command, *comments = printed.splitlines()
        self.assertTrue(all(line.startswith("# ") for line in comments), printed)
        if MPI == "openmpi":
            self.assertEqual(comments, ["# Waits in all calls after MPI_Init are cooperative."])
        else:
            told = json.loads(self.dry("--coop", "on", "--json", "--", "srun", self.app))
            coop = told["coop"]
            self.assertEqual(len(coop["passes_through"]) + len(coop["between_nodes"]["passes_through"]),
                             sum(line.count("MPI_") for line in comments))
            self.assertIn("MPI_Win_lock", " ".join(comments).split())
        self.assertEqual(shlex.split(printed, comments=True), shlex.split(command))
        self.assertEqual(len(self.dry("--", "srun", self.app).splitlines()), 1, "only where it is asked for")

    def test_why_is_told_to_whoever_wants_to_know(self):
        why = "[run] cooperative waits: auto, how many ranks share a node"
        self.assertIn(why, self.comity("--dry-run", "--", "srun", self.app, COMITY_LOG="info").stderr)
        self.assertEqual(self.comity("--dry-run", "--", "srun", self.app).stderr, "")

    def test_it_is_one_line_for_who_asks_for_a_decision(self):
        def said(*words):
            return self.comity("--coop", "auto", "--dry-run", "--", *words).stderr
        self.assertEqual(said("srun", self.app), "comity: cooperative waits left to the ranks: how many ranks share a node is "
                                                 "known to them alone\n")
        self.assertEqual(said("mpirun.mpich", "-n", "1", self.app), "comity: cooperative waits off: one rank has nobody to wait for\n")


class Record(Case):
    def test_the_folder_is_whole_and_made_by_a_run_and_not_by_a_dry_one(self):
        name = os.path.relpath(self.folder / "one/two")
        words = ("--record", name + "/", "--record-budget", "100", "--", "srun", self.app)
        self.assertIn(f",COMITY_RECORD_DIRECTORY={self.folder}/one/two,COMITY_RECORD_BUDGET_KB=100", self.dry(*words))
        self.assertFalse((self.folder / "one").exists())
        self.assertEqual(self.comity(*words).returncode, 4)
        self.assertTrue((self.folder / "one/two").is_dir())

    def test_a_record_is_never_overwritten(self):
        for name in "run.comity", "node-0.comity", "rank-000001.comity":
            folder = self.folder / name[:4]
            folder.mkdir()
            self.dry("--record", folder, "--", "srun", self.app)
            (folder / name).write_text("", encoding="utf-8")
            self.assert_refused(1, "it holds the record of another run", "--mpi", MPI, "--record", folder, "--", "srun",
                                self.app)

    def test_a_folder_that_cannot_be_is_refused_before_anything_starts(self):
        for folder in self.app, f"{self.app}/below":
            self.assert_refused(1, f"{self.app} is no folder", "--mpi", MPI, "--record", folder, "--", "srun", self.app)
        done = self.comity("--record", "/proc/comity", "--", "srun", self.app)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--record /proc/comity: ", done.stderr)

    def test_nothing_is_made_where_something_else_is_wrong(self):
        self.assert_refused(1, "is not here", "--mpi", MPI, "--record", self.folder / "out", "--", "srun", "./absent")
        self.assertFalse((self.folder / "out").exists())


class Figures(Case):
    def words(self, file):
        return ("--metrics", "--metrics-json", file, "--", "srun", self.app)

    def test_the_file_is_whole_and_an_earlier_one_goes_away_with_a_run_and_not_with_a_dry_one(self):
        file = self.folder / "figures.json"
        file.write_text("of an earlier run", encoding="utf-8")
        words = self.words(os.path.relpath(file))
        self.assertIn(f",COMITY_METRICS=on,COMITY_METRICS_JSON={file},", self.dry(*words))
        self.assertTrue(file.exists())
        self.assertEqual(self.comity(*words).returncode, 4)
        self.assertFalse(file.exists(), "a run that leaves no figures leaves no others")

    def test_it_may_stand_in_the_folder_of_the_record(self):
        folder = self.folder / "out"
        self.assertEqual(self.comity("--record", folder, *self.words(folder / "figures.json")).returncode, 4)

    def test_what_is_no_file_is_left_as_it_is(self):
        link = self.folder / "link"
        link.symlink_to("/dev/null")
        os.mkfifo(self.folder / "pipe")
        for name in "link", "pipe":
            self.assertEqual(self.comity(*self.words(self.folder / name)).returncode, 4)
        self.assertEqual(sorted(os.listdir(self.folder)), ["app", "link", "pipe", "srun"])

    def test_a_file_that_cannot_be_is_refused_before_anything_starts(self):
        for file, why in ((self.folder, "Is a directory"), (self.folder / "absent/figures", "No such file"),
                          (f"{self.app}/below", "Not a directory")):
            self.assert_refused(1, f"--metrics-json: write {file}: {why}", "--mpi", MPI, *self.words(file))


class End(Case):
    def started(self):
        self.put("srun", COUNTER)
        job = subprocess.Popen([COMMAND, "run", "--mpi", MPI, "--", "srun", self.app], env={**KEPT, "PATH": self.path},
                               stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        self.assertEqual(job.stdout.readline(), "ready\n")
        return job

    def test_ctrl_c_comes_once(self):
        job = self.started()
        os.killpg(job.pid, signal.SIGINT)
        self.assertEqual(job.stdout.readline(), "interrupted\n")
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.stdout.read(), "")
        self.assertEqual(job.wait(timeout=50), 1)

    def test_sigkill_is_the_launchers_end(self):
        job = self.started()
        job.kill()
        self.assertEqual(job.wait(timeout=50), -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
