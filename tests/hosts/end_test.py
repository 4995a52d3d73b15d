# SPDX-License-Identifier: BSD-3-Clause
"""However the tool ends, nothing of the hosts is left: no process, no device, no mount, no file."""
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

import hosts

LONGEST_S = 50
SLEEP = f"sleep 10{os.getpid()}"  # such as no other process runs; its words stand in all of the tool's processes too
COMMAND = f"readlink /proc/self/ns/net; $EMULATED_HOSTS_AGENT host2 '{SLEEP} & {SLEEP}' & {SLEEP}"


def words_of(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])


def network_of(pid):
    return os.readlink(f"/proc/{pid}/ns/net")


def of_all(fact):
    """{pid: that fact} of all processes but those that end meanwhile."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            found[int(name)] = fact(int(name))
        except OSError:
            continue
    return found


def processes():
    """{pid: its words} of those that have to do with this test, this process not among them."""
    return {pid: words for pid, words in of_all(words_of).items() if SLEEP in words}


def wait_until(holds):
    end_s = time.monotonic() + LONGEST_S
    while not holds() and time.monotonic() < end_s:
        time.sleep(0.02)
    return holds()


def setUpModule():
    hosts.require()


class End(unittest.TestCase):
    def setUp(self):
        self.tool = subprocess.Popen([hosts.TOOL, "run", "--", "sh", "-c", COMMAND], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stream in (self.tool.stdout, self.tool.stderr):
            self.addCleanup(stream.close)
        self.network = self.tool.stdout.readline().strip()
        three = wait_until(lambda: sum(words.startswith("sleep ") for words in processes().values()) == 3)
        self.assertTrue(three, processes())
        # Kept, or another network may have its number when it is looked for.
        inside = next(pid for pid, network in of_all(network_of).items() if network == self.network)
        kept = os.open(f"/proc/{inside}/ns/net", os.O_RDONLY)
        self.addCleanup(os.close, kept)
        self.assertEqual(os.readlink(f"/proc/self/fd/{kept}"), self.network)

    def expect_nothing_left(self):
        self.assertTrue(wait_until(lambda: not processes()), processes())
        self.assertNotIn(self.network, of_all(network_of).values())
        self.assertEqual({"switch", "port1", "port2"} & set(os.listdir("/sys/class/net")), set())
        self.assertNotIn("emulated-hosts", Path("/proc/mounts").read_text(encoding="utf-8"))
        self.assertFalse(Path("/run/emulated-hosts").exists())

    def child(self, pid, words=""):
        """The child of a process that has these words."""
        return next(child for child, parent in of_all(parent_of).items() if parent == pid and words in words_of(child))

    def test_a_tool_that_is_killed_leaves_nothing(self):
        self.tool.kill()
        self.tool.wait()
        self.expect_nothing_left()

    def test_a_tool_that_is_asked_to_end_has_taken_all_down_when_it_does(self):
        self.tool.terminate()
        self.assertEqual(self.tool.wait(), 128 + signal.SIGTERM)
        self.assertEqual(processes(), {})
        self.expect_nothing_left()

    def test_an_interrupt_ends_all(self):
        self.tool.send_signal(signal.SIGINT)
        self.assertEqual(self.tool.wait(), 128 + signal.SIGINT)
        self.expect_nothing_left()

    def test_a_cluster_that_is_killed_ends_the_tool(self):
        os.kill(self.child(self.child(self.tool.pid)), signal.SIGKILL)
        self.assertNotEqual(self.tool.wait(), 0)
        self.expect_nothing_left()

    def test_a_host_that_is_killed_ends_all_and_is_named(self):
        cluster = self.child(self.child(self.tool.pid))
        os.kill(self.child(cluster, "host2"), signal.SIGKILL)
        self.assertEqual(self.tool.wait(), 1)
        self.assertIn("host2 has ended before the command", self.tool.stderr.read())
        self.expect_nothing_left()


class Commands(unittest.TestCase):
    def test_a_command_that_ends_takes_its_background_along(self):
        status, output = hosts.run_script(f"$EMULATED_HOSTS_AGENT host2 '{SLEEP} >/dev/null 2>&1 & echo begun'; exit 3")
        self.assertEqual((status, output), (3, "begun\n"))
        self.assertEqual(processes(), {})


if __name__ == "__main__":
    unittest.main()
