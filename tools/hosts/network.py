# SPDX-License-Identifier: BSD-3-Clause
"""What joins the emulated hosts: each has one device, eth0, and the address 10.77.0.<number>. Without a delay it is a
veth pair whose other end is a port of a bridge; with one it is a TAP device of the delay line (delay_line.c). The
rate is that of a token bucket on each eth0, so of what a host sends."""
import subprocess
from pathlib import Path

import wire

PREFIX_BITS = 24
BUCKET = ("burst", "64kb", "latency", "100ms")  # what may go at once; what waits longer than that is dropped


def address(number):
    return f"10.77.0.{number}"


def build_delay_line():
    """Here and now, so that the tool needs no build folder; it takes a tenth of a second."""
    program = wire.FOLDER / "delay-line"
    source = Path(__file__).with_name("delay_line.c")
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    return program


def start_delay_line(hosts, delay_ns):
    spaces = [f"/proc/{host.pid}/ns/net" for host in hosts]
    line = subprocess.Popen([build_delay_line(), str(delay_ns), *spaces], stdout=subprocess.PIPE, text=True)
    if line.stdout.readline() != "ready\n":
        raise RuntimeError("the delay line could not start; why stands above")
    return line


def plug_into_bridge(hosts):
    ip("link", "add", "switch", "type", "bridge")
    ip("link", "set", "switch", "up")
    for host in hosts:
        port = f"port{host.number}"
        ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(host.pid))
        ip("link", "set", port, "master", "switch", "up")


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def configure(host, rate):
    """On the host itself. IPv6 would add addresses that no launcher was told of."""
    lines = ["echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 2>/dev/null || true",
             f"ip address add {address(host.number)}/{PREFIX_BITS} dev eth0",
             "ip link set eth0 up"]
    if rate:
        lines.append(f"tc qdisc add dev eth0 root tbf rate {rate} {' '.join(BUCKET)}")
    host.run("set -e\n" + "\n".join(lines))


def join(hosts, rate, delay_ns):
    """The processes that the network needs."""
    processes = [start_delay_line(hosts, delay_ns)] if delay_ns else []
    if not delay_ns:
        plug_into_bridge(hosts)
    for host in hosts:
        configure(host, rate)
    return processes
