# SPDX-License-Identifier: BSD-3-Clause
"""What makes launchers start ranks on the emulated hosts, for both MPIs at once, and for Open MPI 5, whose launcher has settings of its
own: their files of hosts, and their settings in the environment. An option on the launcher's own line still wins."""
from pathlib import Path

import wire

AGENT = str(Path(__file__).with_name("agent.py"))


def environment(hosts, slots):
    """Writes the files; returns the variables."""
    openmpi = wire.FOLDER / "hosts.openmpi"
    mpich = wire.FOLDER / "hosts.mpich"
    openmpi.write_text("".join(f"{host.name} slots={slots}\n" for host in hosts), encoding="ascii")
    mpich.write_text("".join(f"{host.name}:{slots}\n" for host in hosts), encoding="ascii")
    return {
        "EMULATED_HOSTS": " ".join(host.name for host in hosts),
        "EMULATED_HOSTS_AGENT": AGENT,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_orte_default_hostfile": str(openmpi),
        "OMPI_MCA_plm_rsh_agent": AGENT,
        "OMPI_MCA_oob_tcp_if_include": "eth0",
        "OMPI_MCA_btl_tcp_if_include": "eth0",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",  # each host counts its cores from 0, and they are the same cores
        "PRTE_MCA_prte_default_hostfile": str(openmpi),
        "PRTE_MCA_plm_ssh_agent": AGENT,
        "PRTE_MCA_prte_if_include": "eth0",
        "PRTE_MCA_rmaps_default_mapping_policy": "slot:oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "HYDRA_HOST_FILE": str(mpich),
        "HYDRA_LAUNCHER": "ssh",
        "HYDRA_LAUNCHER_EXEC": AGENT,
        "HYDRA_IFACE": "eth0",
    }
