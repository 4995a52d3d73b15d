# SPDX-License-Identifier: BSD-3-Clause
"""The rules notice a libquo of which any one call is broken (broken.cpp), and hold for it when none is.
    broken_test.py LAUNCHER WORD... -- LAUNCHER WORD... PROGRAM LIBRARY
The second launcher keeps the others of a job going when a rank has died. The programs that are no part of PROGRAM judge it too:
REFUSAL, CPUSET and DEATH, the last by the second launcher. REQUIRED: rules that have to be tried with this MPI on this machine."""
import os
import subprocess
import sys
import tempfile
import unittest

*LAUNCHERS, PROGRAM, LIBRARY = sys.argv[1:]
LAUNCHER, KEEPING_LAUNCHER = LAUNCHERS[:LAUNCHERS.index("--")], LAUNCHERS[LAUNCHERS.index("--") + 1:]
REQUIRED = os.environ["REQUIRED"].split()
PATIENCE_S = 30
# The machines of kinds of rules that are not of this one.
MACHINES = {"two-sockets": {"HWLOC_SYNTHETIC": os.environ["TWO_SOCKETS"]}}
# Of threads that an MPI or a machine may not have; where there are two CPUs, CMakeLists.txt has them among REQUIRED.
MAY_BE_UNTRIED = ("threads-of-mpi-", "members-of-a-team-")

# Of each call a kind of rules and the one that its damage breaks.
NOTICED = {
    "QUO_version": ("questions", "version-is-8-0"),
    "QUO_create": ("questions", "create-before-init-is-an-error-of-mpi"),
    "QUO_create_with_flags": ("questions", "no-such-flags-are-an-argument-error"),
    "QUO_free": ("questions", "free-keeps-the-binding"),
    "QUO_nobjs_by_type": ("questions", "counts-agree"),
    "QUO_nobjs_in_type_by_type": ("questions", "objects-are-counted-that-lie-inside"),
    "QUO_cpuset_in_type": ("questions", "in-an-object-means-touches-it"),
    "QUO_qids_in_type": ("questions", "qids-in-an-object-are-those-that-touch-it"),
    "QUO_nnumanodes": ("questions", "counts-agree"),
    "QUO_nsockets": ("questions", "counts-agree"),
    "QUO_ncores": ("questions", "counts-agree"),
    "QUO_npus": ("questions", "counts-agree"),
    "QUO_nnodes": ("questions", "qids-are-node-ranks-of-the-communicator"),
    "QUO_nqids": ("questions", "sub-communicators-count-their-members-only"),
    "QUO_id": ("questions", "self-is-a-node-of-one"),
    "QUO_bound": ("questions", "bound-means-less-than-the-node-allows"),
    "QUO_stringify_cbind": ("questions", "the-text-of-a-binding-is-a-list"),
    "QUO_bind_push": ("moves", "push-of-what-is-touched-takes-the-lowest"),
    "QUO_bind_pop": ("moves", "pops-go-backwards"),
    "QUO_barrier": ("moves", "a-barrier-waits-for-all-ranks"),
    "QUO_auto_distrib": ("moves", "ranks-on-one-object-each-are-selected-first-come"),
    "QUO_get_mpi_comm_by_type": ("moves", "the-machine-has-a-communicator"),
    "QUO_create_f2c": ("moves", "the-helpers-of-fortran-work"),
    "QUO_create_with_flags_f2c": ("moves", "the-helpers-of-fortran-work"),
    "QUO_get_mpi_comm_by_type_f2c": ("moves", "fortran-gets-no-communicator-from-a-failure"),
    "QUO_ptr_free": ("moves", "the-helpers-of-fortran-work"),
    # Habits: of writing where nothing is to be told and of telling nothing, of asking for signals and for the last word, of moving
    # MPI's threads, of starting some, of giving each member of a team one CPU, of waiting with a core.
    "chatter": ("questions", "what-succeeds-writes-nothing"),
    "complaints": ("questions", "what-a-program-may-try-writes-nothing"),
    "silence": ("questions", "a-bad-policy-is-told"),
    "signal-handler": ("questions", "signals-and-threads-are-left-alone"),
    "exit-handler": ("questions", "nothing-runs-at-exit"),
    "bind-all-threads": ("moves", "threads-of-mpi-stay-where-they-are"),
    "thread-of-its-own": ("moves", "a-push-starts-no-thread"),
    "cpu-for-each-member": ("moves", "members-of-a-team-have-all-of-a-push"),
    "spin": ("moves", "a-barrier-leaves-the-cores"),
    # Other choices among objects that a process touches in part: the one that encloses it, or the first of all where none does;
    # who touches several but not all is always selected.
    "enclosing-or-first": ("two-sockets", "push-of-what-is-touched-takes-the-first-of-a-socket"),
    "sharers-work": ("two-sockets", "of-ranks-on-sockets-and-one-core-that-one-is-selected"),
}


def run(call, words, **settings):
    environment = {**os.environ, "LIBQUO": LIBRARY, "QUO_BROKEN": call, **settings}
    return subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, timeout=PATIENCE_S, check=False)


def judge_by(program, call, *words, **settings):
    """What ranks say of a library whose `call` is broken. A status that is not 0 is a line of it: a launcher that learned of it
    would take seconds to end."""
    told = ["sh", "-c", '"$@" || echo "status $?"', "sh"]
    done = run(call, [*LAUNCHER, *told, program, *words], **settings)
    done.check_returncode()
    return done.stdout


def judge(call, kind, *rules):
    return judge_by(PROGRAM, call, kind, *rules, **MACHINES.get(kind, {}))


class AFileThatIsLeft(unittest.TestCase):
    def test_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            output = judge_by("env", "left-files", f"TMPDIR={folder}", PROGRAM, "questions", "no-file-is-left")
            self.assertIn("FAIL: no-file-is-left\n", output)
            self.assertIn("files are left while the context lives\n", output)
            for when in "files are left while the context lives", "files are left":
                self.assertIn(f"  rank 0: {when}: {folder}/libquo-left\n", output)


class Broken(unittest.TestCase):
    def expect_noticed(self, *kinds):
        for call, (kind, rule) in NOTICED.items():
            if kind not in kinds:
                continue
            with self.subTest(call):
                output = judge(call, kind, rule)
                if rule.startswith(MAY_BE_UNTRIED) and rule not in REQUIRED and f"NOT TESTED: {rule}:" in output:
                    continue
                self.assertIn(f"FAIL: {rule}\n", output)
                self.assertIn("status 1\n", output)

    def test_each_broken_call_is_noticed_by_a_rule(self):
        self.expect_noticed("questions")

    def test_each_broken_call_that_moves_is_noticed_by_a_rule(self):
        self.expect_noticed("moves", "two-sockets")

    def test_a_library_that_is_whole_is_not_blamed(self):
        for kind in "questions", "moves", "two-sockets":
            rules = sorted({rule for of, rule in NOTICED.values() if of == kind})
            output = judge("", kind, *rules)
            self.assertNotIn("FAIL", output)
            self.assertIn("all of them hold\n", output)
            self.assertNotIn("status", output)

    def test_early_rules_are_counted_and_so_are_required_ones(self):
        output = judge("", "questions", "create-before-init-is-an-error-of-mpi", "--require", "version-is-8-0")
        self.assertIn("holds: create-before-init-is-an-error-of-mpi\nholds: version-is-8-0\n2 rules checked", output)

    def test_a_required_rule_that_cannot_be_tried_does_not_hold(self):
        rule = "a-fork-child-does-not-move-its-parent"
        output = judge_by(PROGRAM, "", "questions", "version-is-8-0", "--require", rule, HWLOC_SYNTHETIC="core:1 pu:1")
        self.assertIn(f"FAIL: {rule}: a machine has one PU\n", output)
        self.assertIn("holds: version-is-8-0\n", output)
        self.assertIn("1 do not hold\n", output)
        self.assertIn("status 1\n", output)

    def test_programs_of_their_own_judge_it_too(self):
        output = judge_by(os.environ["REFUSAL"], "QUO_bind_pop", "binding")
        self.assertTrue("one pop too many: 0, expected 10" in output or "NOT TESTED" in output, output)
        output = judge_by(os.environ["CPUSET"], "QUO_npus")
        self.assertTrue("PUs at first: 3, expected 2" in output or "NOT TESTED" in output, output)
        output = run("QUO_barrier", [*KEEPING_LAUNCHER, os.environ["DEATH"], "barrier"]).stdout
        self.assertIn("FAIL: rank 0: QUO_barrier returned 0, expected 3", output)

    def test_a_rule_that_is_not_there_does_not_hold(self):
        for words in ["the-moon-is-round"], ["version-is-8-0", "--require", "the-moon-is-round"]:
            alone = run("", [PROGRAM, "questions", *words])  # it ends before it asks for an MPI
            self.assertEqual(alone.returncode, 2)
            self.assertIn('there is no rule "the-moon-is-round" of this kind', alone.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
