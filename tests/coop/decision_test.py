# SPDX-License-Identifier: BSD-3-Clause
"""What real jobs decide of their waits by ranks, threads and cores, what they say of it, and what their idle threads are told."""
import os
import re
import subprocess
import unittest

COMITY = os.environ["COMITY_COMMAND"]
PROGRAM = os.environ["COMITY_PROGRAM"]
LIBRARY = os.environ["COMITY_LIBRARY"]
LAUNCH = os.environ["COMITY_LAUNCH"].split()
RUNTIME = os.environ["COMITY_RUNTIME"]  # gnu, llvm
OPEN_MPI = os.environ["COMITY_MPI"] == "openmpi"
RANKS = int(LAUNCH[LAUNCH.index("-n") + 1])
CORES = len(os.sched_getaffinity(0))
NODE = os.uname().nodename
ON = "comity: cooperative waits on: "
OFF = "comity: cooperative waits off: "
DEFAULT_SPINS = "300000"  # of GNU's idle threads, which nobody has told how to wait
CLEAN = {name: value for name, value in os.environ.items() if not re.match("OMP_|GOMP_|KMP_|OPENBLAS_|GOTO_|COMITY_|SLURM_|PBS_", name)}


def counted(count, thing):
    return f"{count} {thing}{'' if count == 1 else 's'}"


class Case(unittest.TestCase):
    def job(self, command, **variables):
        """(what each rank told, what was said of waits)"""
        done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False, env={**CLEAN, **variables})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ranks = [dict(word.split("=") for word in line.split()) for line in done.stdout.splitlines()]
        self.assertEqual(len(ranks), RANKS, done.stdout + done.stderr)
        return ranks, [line for line in done.stderr.splitlines() if "cooperative waits" in line]

    def run_job(self, *options, launch=tuple(LAUNCH), **variables):
        return self.job([COMITY, "run", *options, "--", *launch, PROGRAM], **variables)

    def in_a_script(self, *options, words=(), threads, **variables):
        """A line that tells `comity run` neither program nor threads."""
        at = LAUNCH.index("-n")
        script = f"export OMP_NUM_THREADS={threads}; exec {PROGRAM}"
        return self.job([COMITY, "run", *options, "--", *LAUNCH[:at], *words, *LAUNCH[at:], "sh", "-c", script], **variables)

    def by_hand(self, **variables):
        """A job that knows of no `comity run`."""
        given = {"LD_PRELOAD": LIBRARY, "COMITY_COOP": "auto"}
        words = [word for name, value in given.items()
                 for word in (("-x", f"{name}={value}") if OPEN_MPI else ("-genv", name, value))]
        return self.job([*LAUNCH, *words, PROGRAM], **variables)

    def assert_spins(self, ranks, wanted):
        if RUNTIME != "gnu" or ranks[0]["spins"] == "-1":
            self.skipTest("NOT TESTED: this runtime does not tell how its idle threads wait; GNU's since GCC 12 does")
        self.assert_each(ranks, spins=wanted)

    def assert_each(self, ranks, **wanted):
        for rank in ranks:
            self.assertEqual({name: rank[name] for name in wanted}, wanted)


class OneRank(Case):
    NOBODY = f"{OFF}one rank has nobody to wait for"

    def test_it_has_nobody_to_wait_for(self):
        ranks, said = self.run_job(OMP_NUM_THREADS=str(2 * CORES))
        self.assertEqual(said, [self.NOBODY])
        self.assert_each(ranks, threads=str(2 * CORES), policy="unset", gnu="unset", llvm="unset")
        self.assertEqual(self.by_hand(OMP_NUM_THREADS=str(2 * CORES))[1], [self.NOBODY])

    def test_its_idle_threads_are_left_alone(self):
        ranks, said = self.in_a_script(threads=max(2, CORES))
        self.assertEqual(said, [self.NOBODY])
        self.assert_spins(ranks, DEFAULT_SPINS)


class Crowd(Case):
    THREADS = max(2, CORES)
    PLAIN = f"{ON}{RANKS} ranks x {THREADS} threads on {counted(CORES, 'core')} of node {NODE}"
    HAVE_SHARES = CORES % RANKS == 0
    OWN = CORES // RANKS if HAVE_SHARES else CORES
    LINE = PLAIN + (f", a share of {counted(OWN, 'core')} for each rank" if HAVE_SHARES else "")

    def test_it_is_on_and_said_once_a_job(self):
        ranks, said = self.run_job(OMP_NUM_THREADS=str(self.THREADS))
        self.assertEqual(said, [self.LINE])
        self.assert_each(ranks, threads=str(self.THREADS), policy="passive", gnu="251", llvm="0", blas="told", cores=str(self.OWN))
        self.assertEqual({rank["spins"] for rank in ranks} - {"-1"}, {"0"} if RUNTIME == "gnu" else set())

    def test_switched_off_it_changes_nothing(self):
        ranks, said = self.run_job("--coop", "off", OMP_NUM_THREADS=str(self.THREADS))
        self.assertEqual(said, [])
        self.assert_each(ranks, threads=str(self.THREADS), policy="unset", gnu="unset", llvm="unset", blas="as_it_was",
                         cores=str(CORES))

    def test_who_wants_a_place_of_its_own_gets_no_share(self):
        ranks, said = self.run_job(OMP_NUM_THREADS=str(self.THREADS), COMITY_COOP_SPREAD="off")
        self.assertEqual(said, [self.PLAIN])
        self.assert_each(ranks, cores=str(CORES))
        _, said = self.run_job(OMP_NUM_THREADS=str(self.THREADS), OMP_PLACES="threads")
        self.assertEqual(len(said), 1)
        self.assertNotIn("share", said[0])

    def test_ranks_of_which_several_threads_may_wait_at_once_get_no_share(self):
        level = {"OMPI_MPI_THREAD_LEVEL": "3"} if OPEN_MPI else {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}
        ranks, said = self.run_job(OMP_NUM_THREADS=str(self.THREADS), **level)
        self.assertEqual(said, [self.PLAIN])
        self.assert_each(ranks, cores=str(CORES))

    def test_what_the_user_has_set_stays(self):
        ranks, said = self.run_job(OMP_NUM_THREADS=str(self.THREADS), OMP_WAIT_POLICY="active", KMP_BLOCKTIME="7",
                                   OPENBLAS_NUM_THREADS="1")
        self.assertEqual(said, [self.LINE])
        self.assert_each(ranks, policy="active", gnu="unset", llvm="7", blas="as_it_was")

    def test_without_the_command_ranks_do_what_is_left_to_do(self):
        ranks, said = self.by_hand(OMP_NUM_THREADS=str(self.THREADS))
        self.assertEqual(said, [self.LINE])
        self.assert_each(ranks, block_time="-1" if RUNTIME == "gnu" else "0", policy="unset", gnu="unset", blas="told",
                         cores=str(self.OWN))
        self.assert_spins(ranks, "0")

    def test_without_the_command_too_what_the_user_has_set_stays(self):
        ranks, said = self.by_hand(OMP_NUM_THREADS=str(self.THREADS), KMP_BLOCKTIME="7", GOMP_SPINCOUNT="100")
        self.assertEqual(said, [self.LINE])
        self.assert_each(ranks, block_time="-1" if RUNTIME == "gnu" else "7")
        self.assert_spins(ranks, "100")

    def test_in_a_script_idle_threads_give_way_as_well(self):
        ranks, said = self.in_a_script(threads=self.THREADS)
        self.assertEqual(said, [self.LINE])
        self.assert_each(ranks, block_time="-1" if RUNTIME == "gnu" else "0")
        self.assert_spins(ranks, "0")

    def test_where_the_line_names_hosts_idle_threads_give_way_as_well(self):
        hosts = ("-H", f"localhost:{RANKS}") if OPEN_MPI else ("-hosts", "localhost")
        ranks, said = self.in_a_script(words=hosts, threads=self.THREADS)
        self.assertEqual(said, [self.LINE])
        self.assert_each(ranks, policy="unset", gnu="unset")
        self.assert_spins(ranks, "0")

    def test_in_a_script_too_what_the_user_has_set_stays(self):
        for name, value, spins in (("OMP_WAIT_POLICY", "active", "30000000000"), ("GOMP_SPINCOUNT", "70", "70")):
            self.assert_spins(self.in_a_script(threads=self.THREADS, **{name: value})[0], spins)

    def test_in_a_script_too_switched_off_it_changes_nothing(self):
        self.assert_spins(self.in_a_script("--coop", "off", threads=self.THREADS)[0], DEFAULT_SPINS)


class Singles(Case):
    """One thread in each rank."""
    def test_it_is_on_where_ranks_outnumber_cores(self):
        crowd = f"{RANKS} ranks on {counted(CORES, 'core')}"
        by_ranks = f"{ON if RANKS > CORES else OFF}{crowd} of node {NODE}"
        by_command = f"{OFF}{crowd}"  # where its line tells all
        for (ranks, said), wanted in ((self.run_job(OMP_NUM_THREADS="1"), {by_ranks, by_command} if RANKS <= CORES else {by_ranks}),
                                      (self.by_hand(OMP_NUM_THREADS="1"), {by_ranks})):
            self.assertEqual(len(said), 1, said)
            self.assertIn(said[0], wanted)
            self.assert_each(ranks, threads="1", policy="unset", blas="as_it_was")

    def test_threads_beyond_their_limit_do_not_count(self):
        for _, said in (self.run_job(OMP_NUM_THREADS="2", OMP_THREAD_LIMIT="1"), self.by_hand(OMP_NUM_THREADS="2", OMP_THREAD_LIMIT="1")):
            self.assertRegex(said[0], f"{RANKS} ranks on {counted(CORES, 'core')}")

    def test_they_have_no_idle_threads_that_could_be_in_the_way(self):
        self.assert_spins(self.by_hand(OMP_NUM_THREADS="1")[0], DEFAULT_SPINS)

    def test_idle_threads_of_teams_that_fit_are_left_alone(self):
        if CORES // RANKS < 2:
            self.skipTest("NOT TESTED: a team in each rank takes two cores a rank")
        for options in ((), ("--coop", "on")):
            self.assert_spins(self.in_a_script(*options, threads=CORES // RANKS)[0], DEFAULT_SPINS)

    def test_why_it_is_on_or_off_is_told_to_whoever_wants_to_know(self):
        told = " on:" if RANKS > CORES else " off:"
        for _, said in (self.run_job(OMP_NUM_THREADS="1", COMITY_LOG="info"),
                        self.by_hand(OMP_NUM_THREADS="1", COMITY_LOG="info")):
            self.assertRegex(said[-1], rf"cooperative waits{told} {RANKS} ranks on {counted(CORES, 'core')}")


class Bound(Case):
    """Open MPI binds each of two ranks to a core unless it is told otherwise."""
    DEFAULT = tuple(word for word in LAUNCH if word not in ("--bind-to", "none"))

    def setUp(self):
        if CORES < 2:
            self.skipTest("for two cores or more")
        if self.cores(*self.run_job("--coop", "off", launch=self.DEFAULT)) != {"1"}:
            self.skipTest("this Open MPI does not bind two ranks to a core each")

    @staticmethod
    def cores(ranks, _said):
        return {rank["cores"] for rank in ranks}

    def test_equal_teams_get_an_equal_share_of_the_cores_of_the_job(self):
        job = self.run_job(launch=self.DEFAULT, OMP_NUM_THREADS=str(CORES))
        self.assertEqual(self.cores(*job), {str(CORES // 2)}, job)
        self.assertEqual(job[1], [f"{ON}2 ranks x {CORES} threads on 2 cores of node {NODE}"
                                  f", a share of {counted(CORES // 2, 'core')} for each rank"])

    def test_unequal_teams_are_spread_over_the_cores_of_the_job(self):
        at = self.DEFAULT.index("-n")
        first, second = (("-n", "1", "-x", f"OMP_NUM_THREADS={threads}", PROGRAM) for threads in (CORES, CORES + 1))
        job = self.job([COMITY, "run", "--", *self.DEFAULT[:at], *first, ":", *second])
        self.assertEqual(self.cores(*job), {str(CORES)}, job)
        self.assertEqual(job[1], [f"{ON}2 ranks with {2 * CORES + 1} threads on 2 cores of node {NODE}"])

    def test_what_the_user_has_bound_stays(self):
        for words, variables in ((("--bind-to", "core"), {}), ((), {"OMP_PLACES": "cores"}), ((), {"COMITY_COOP_SPREAD": "off"})):
            job = self.run_job(launch=(*self.DEFAULT, *words), OMP_NUM_THREADS=str(CORES), **variables)
            self.assertEqual(self.cores(*job), {"1"}, (words, variables, job))


def load_tests(loader, _tests, _pattern):
    return loader.loadTestsFromTestCase(globals()[os.environ["COMITY_GROUP"]])


if __name__ == "__main__":
    unittest.main()
