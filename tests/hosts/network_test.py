# SPDX-License-Identifier: BSD-3-Clause
"""The delay and the rate of the network between emulated hosts. Held against what is physically impossible: a round
trip below twice the delay, bytes that arrive before the rate lets them. How much more it is depends on who else runs.
    network_test.py delay|rate|both"""
import sys
import unittest
from pathlib import Path

import hosts

TALK = Path(__file__).with_name("talk.py")
BUCKET_BYTES = 64 * 1024  # what may go at once


def measure(mode, count, *options):
    status, output = hosts.run([sys.executable, str(TALK), mode, str(count)], *options)
    if status != 0:
        raise AssertionError(f"talk.py ended with {status}:\n{output}")
    return float(output)


class Delay(unittest.TestCase):
    def test_no_round_trip_is_shorter_than_twice_the_delay(self):
        for text, delay_s in (("3ms", 0.003), ("20ms", 0.020)):
            self.assertGreaterEqual(measure("round-trips", 20, "--delay", text), 2 * delay_s)

    def test_a_stream_arrives_whole_through_the_line(self):
        self.assertGreaterEqual(measure("stream", 2_000_000, "--delay", "1ms"), 0.002)


class Rate(unittest.TestCase):
    def test_no_byte_arrives_before_the_rate_lets_it(self):
        sent = 2_500_000
        self.assertGreaterEqual(measure("stream", sent, "--rate", "40mbit"), 8 * (sent - BUCKET_BYTES) / 40e6)


class Both(unittest.TestCase):
    def test_each_holds_beside_the_other(self):
        both = ("--rate", "40mbit", "--delay", "3ms")
        sent = 1_000_000
        self.assertGreaterEqual(measure("stream", sent, *both), 8 * (sent - BUCKET_BYTES) / 40e6)
        self.assertGreaterEqual(measure("round-trips", 20, *both), 2 * 0.003)


if __name__ == "__main__":
    what = sys.argv.pop()
    delay, rate = ("--delay", "1ms"), ("--rate", "1gbit")
    hosts.require(*{"delay": delay, "rate": rate, "both": delay + rate}[what])
    unittest.main(defaultTest=what.capitalize())
