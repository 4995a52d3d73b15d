# SPDX-License-Identifier: BSD-3-Clause
"""What emulated hosts have of their own, what they share, and that the agent is to them what ssh is to real ones."""
import os
import tempfile
import unittest
from pathlib import Path

import hosts

BOOT_ID = "/proc/sys/kernel/random/boot_id"
NAMESPACES = ("net", "uts", "ipc", "mnt", "pid")


def setUpModule():
    hosts.require()


class Hosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = hosts.Shell("--hosts", "3")

    @classmethod
    def tearDownClass(cls):
        cls.shell.close()

    def say(self, script):
        status, lines = self.shell.say(script)
        self.assertEqual(status, 0, lines)
        return lines

    def ask_each(self, line):
        return self.say(f"for host in $EMULATED_HOSTS; do $EMULATED_HOSTS_AGENT $host '{line}'; done")

    def test_each_has_its_own_name_and_knows_the_others(self):
        said = self.ask_each("hostname; getent hosts host1 host2 host3")
        known = [["10.77.0.1", "host1"], ["10.77.0.2", "host2"], ["10.77.0.3", "host3"]]
        self.assertEqual([line.split() for line in said],
                         [row for name in ("host1", "host2", "host3") for row in ([name], *known)])

    def test_each_is_a_machine_of_its_own_to_who_looks(self):
        facts = [os.readlink(f"/proc/self/ns/{kind}") for kind in NAMESPACES]
        facts.append(Path(BOOT_ID).read_text(encoding="ascii").strip())
        facts += self.ask_each(f"for kind in {' '.join(NAMESPACES)}; do readlink /proc/self/ns/$kind; done; "
                               f"cat {BOOT_ID}; echo $TMPDIR")
        self.assertEqual(len(facts), 6 + 3 * 7)
        self.assertEqual(len(set(facts)), len(facts), facts)

    def test_devices_are_the_hosts_and_cgroups_the_machines(self):
        folder = Path("/sys/fs/cgroup")
        before = set(os.listdir(folder))
        said = self.ask_each(f"echo $(ls /sys/class/net); echo $(ls {folder})")
        there_all_the_time = before & set(os.listdir(folder))  # others may make groups meanwhile, and take them away
        self.assertEqual(said[0::2], ["eth0 lo"] * 3)
        for groups in said[1::2]:
            self.assertGreaterEqual(set(groups.split()), there_all_the_time)

    def test_shared_memory_is_the_hosts_and_other_files_are_the_machines(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.ask_each(f"ls -A /dev/shm; touch /dev/shm/mine $TMPDIR/mine {folder}/$(hostname); ls {folder}")
            self.assertEqual(said, ["host1", "host1", "host2", "host1", "host2", "host3"])
            self.assertEqual(sorted(os.listdir(folder)), ["host1", "host2", "host3"])
        self.assertFalse(Path("/dev/shm/mine").exists())

    def test_a_command_finds_its_folder_and_its_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"cd {folder}; COLOUR='dark blue' $EMULATED_HOSTS_AGENT -x host2 'pwd; echo \"$COLOUR\"'"
            self.assertEqual(self.say(script), [folder, "dark blue"])

    def test_standard_input_and_both_outputs_reach_the_command(self):
        script = "echo there and back | $EMULATED_HOSTS_AGENT host2 'cat; echo aside >&2'"
        self.assertEqual(self.say(f"{script} 2>/dev/null"), ["there and back"])
        self.assertEqual(self.say(f"{script} 2>&1 >/dev/null"), ["aside"])

    def test_the_status_of_a_command_comes_back(self):
        for line, status in (("exit 5", 5), ("'kill -9 $$'", 137), ("/nonexistent/program", 127)):
            self.assertEqual(self.shell.say(f"$EMULATED_HOSTS_AGENT host2 {line}")[0], status)

    def test_an_unknown_host_is_named_with_those_that_there_are(self):
        status, lines = self.shell.say("$EMULATED_HOSTS_AGENT host4 true")
        self.assertEqual(status, 255)
        self.assertIn("cannot reach host4", lines[0])
        self.assertIn("the hosts are host1 host2 host3", lines[0])

    def test_the_command_of_the_tool_keeps_its_words(self):
        self.assertEqual(hosts.run(["printf", "<%s>", "two words", "$HOME", "'"]), (0, "<two words><$HOME><'>"))


if __name__ == "__main__":
    unittest.main()
