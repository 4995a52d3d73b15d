# SPDX-License-Identifier: BSD-3-Clause
"""What the machine must allow before hosts can be emulated on it, each tried by itself. Not by the code that emulates
them: a defect there must not look like a machine that cannot."""
import os
import shutil
import subprocess
from dataclasses import dataclass

PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "mount": "mount"}
NAMESPACES = ("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child")


@dataclass(frozen=True)
class Ability:
    words: str    # what is tried
    script: str   # in fresh namespaces, as root
    remedy: str


RIGHTS = Ability("namespaces of its own for network, host name, IPC, mounts and processes", "true",
                 "this needs root with CAP_SYS_ADMIN; a container has it when it is started privileged")
ALWAYS = (
    Ability("kernel file systems of its own",
            "mount -t proc proc /proc && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /dev/shm && "
            "mount -t tmpfs tmpfs /run",
            "a container allows it when it is started privileged"),
    Ability("veth pairs and a bridge",
            "ip link add switch0 type bridge && ip link add port0 type veth peer name eth0 && "
            "ip link set port0 master switch0",
            "the kernel needs CONFIG_VETH and CONFIG_BRIDGE, the container CAP_NET_ADMIN"),
)
RATE = Ability("a rate (tc tbf)",
               "ip link add port0 type veth peer name eth0 && "
               "tc qdisc add dev eth0 root tbf rate 1gbit burst 64kb latency 1ms",
               "the kernel needs CONFIG_NET_SCH_TBF; leave --rate away")
DELAY = Ability("a delay (TAP devices)", "ip tuntap add dev eth0 mode tap",
                "the kernel needs CONFIG_TUN, the container the device /dev/net/tun; leave --delay away")


def path_of_root(environment):
    """Where root's programs are, which the PATH of a user who became root may lack."""
    return environment.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"


def try_out(ability):
    """Why it is not there; empty if it is."""
    done = subprocess.run([*NAMESPACES, "sh", "-c", ability.script], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["refused"])[-1]


def missing(rate, delay_ns):
    """Why hosts cannot be emulated here, the first reason only; empty if they can."""
    if os.geteuid() != 0:
        return f"this needs root, and this is user {os.geteuid()}; try sudo"
    for program, package in PROGRAMS.items():
        if not shutil.which(program):
            return f"there is no program {program}; install it (Debian: apt-get install {package})"
    if delay_ns and not shutil.which("cc"):
        return "there is no program cc, which builds the delay line; install it (Debian: apt-get install gcc)"
    for ability in (RIGHTS, *ALWAYS, *((RATE,) if rate else ()), *((DELAY,) if delay_ns else ())):
        why = try_out(ability)
        if why:
            return f"this machine does not allow {ability.words} ({why}); {ability.remedy}"
    return ""
