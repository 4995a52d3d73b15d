#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the machines of this folder with hwloc's lstopo (package hwloc). The results are committed: run it only
# to change a machine or to add one. The *.expected files are written by hand, from these lines and never from our code.
set -eu
cd "$(dirname "$0")"

machine() {  # name, synthetic description, further words for lstopo
  name=$1
  description=$2
  shift 2
  rm -f "$name.xml"
  lstopo-no-graphics -i "$description" "$@" --of xml "$name.xml"
}

threads_last() {  # cores, PUs a core: the OS numbers of cores whose second PUs come after all first ones, and so on
  core=0
  while [ "$core" -lt "$1" ]; do
    seq -s , "$core" "$1" $(($1 * $2 - 1))
    core=$((core + 1))
  done | paste -s -d , -
}

# Opteron 6136 as in QUO's paper: 2 packages x 2 dies, each with its memory, L3 and 4 cores. Distances added below.
machine amd-6136 "pack:2 l3:2(size=6291456) [numa(memory=8589934592)] l2:4(size=524288) l1d:1(size=65536) core:1 pu:1"
# Xeon E5-2670: 2 packages x 8 cores without SMT, OS numbers dealt out to the packages in turn.
machine e5-2670 "pack:2 [numa(memory=17179869184)] l3:1(size=20971520) l2:8(size=262144) l1d:1(size=32768) core:1 pu:1(indexes=pack:l2)"
# A laptop: 4 cores x 2 PUs, the second PUs numbered after all first ones.
machine laptop-smt "pack:1 [numa(memory=17179869184)] l3:1(size=8388608) l2:4(size=262144) l1d:1(size=32768) core:1 pu:2(indexes=0,4,1,5,2,6,3,7)"
# Uneven packages: 4 cores in the first, 2 in the second, 2 PUs each.
machine uneven "pack:2 [numa(memory=8589934592)] l3:1(size=16777216) l2:4(size=1048576) l1d:1(size=32768) core:1 pu:2" --restrict 0x0fff
# Uneven cores: two with 2 PUs, four with one; OS numbers with holes.
machine hybrid "pack:1 [numa(memory=17179869184)] l3:1(size=25165824) core:6 pu:2" --restrict 0x055f
# One core, one PU, no L3.
machine one-core "pack:1 [numa(memory=4294967296)] l2:1(size=1048576) l1d:1(size=32768) core:1 pu:1"
# Two memories for the same cores, as with high-bandwidth memory beside the ordinary one.
machine two-memories "pack:1 l2:2(size=1048576) [numa(memory=8589934592)] [numa(memory=1073741824)] core:2 pu:2"
# A NUMA node without PUs: node 1, added below.
machine memory-only "pack:1 [numa(memory=8589934592)] core:2 pu:1"
# 8 PUs of which a cgroup allows 2 to 5, set below; no caches.
machine forbidden "pack:2 [numa(memory=8589934592)] core:4 pu:1"
# The same, and the cgroup allows 4 to 5: the first package has memory and no PU left.
machine forbidden-package "pack:2 [numa(memory=8589934592)] core:4 pu:1"

# Xeon E5-2660 v3, of which QUO's later measurements are: 2 packages x 10 cores x 2 PUs. Distances added below.
machine e5-2660v3 "pack:2 [numa(memory=68719476736)] l3:1(size=26214400) l2:10(size=262144) l1d:1(size=32768) core:1 pu:2(indexes=$(threads_last 20 2))"
# Knights Landing 7250, quadrant and flat: 34 tiles x 2 cores x 4 PUs, DDR and MCDRAM for all of them (named below).
machine knl-7250 "pack:1 [numa(memory=103079215104)] [numa(memory=17179869184)] l2:34(size=1048576) l1d:2(size=32768) core:1 pu:4(indexes=$(threads_last 68 4))"
# 2 packages x 16 cores, 2 GPUs and a NIC at each; added below, with a disk and a console that are neither.
machine gpu-node "pack:2 [numa(memory=274877906944)] l3:4(size=33554432) core:4 pu:1"
# 384 PUs: 2 packages x 12 dies x 8 cores x 2 PUs.
machine pus-384 "pack:2 [numa(memory=412316860416)] l3:12(size=33554432) core:8 pu:2(indexes=$(threads_last 192 2))"
# Memories of four kinds, named below.
machine many-memories "pack:1 [numa(memory=8589934592)] [numa(memory=4294967296)] [numa(memory=2147483648)] [numa(memory=1073741824)] core:2 pu:1"

# The same four without names: bandwidths, and a DAX device's type, are added below.
machine unnamed-memories "pack:1 [numa(memory=8589934592)] [numa(memory=4294967296)] [numa(memory=2147483648)] [numa(memory=1073741824)] core:2 pu:1"

# 2 packages x 2 cores, two memories at each; added below: GPUs and accelerators with and without drivers, not in the order of
# their addresses, devices on no PCI bus, what is no device of ours, memories on CXL, and kinds of cores that overlap.
machine mixed-devices "pack:2 [numa(memory=8589934592)] [numa(memory=1073741824)] core:2 pu:1"

sed -i 's/allowed_cpuset="0x000000ff"/allowed_cpuset="0x0000003c"/' forbidden.xml
sed -i 's/allowed_cpuset="0x000000ff"/allowed_cpuset="0x00000030"/' forbidden-package.xml

sed -i -e '0,/nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001"/s//nodeset="0x00000003" complete_nodeset="0x00000003" allowed_nodeset="0x00000003"/' \
  -e 's|^  </object>|    <object type="Group" cpuset="0x0" complete_cpuset="0x0" nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="98" kind="1001" subkind="0">\n      <object type="NUMANode" os_index="1" cpuset="0x0" complete_cpuset="0x0" nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="99" local_memory="68719476736"/>\n    </object>\n  </object>|' memory-only.xml

# hwloc writes a matrix in pieces of at most ten numbers, with the length of each piece in characters.
sed -i 's|^  <support name="discovery.pu"/>|  <distances2 type="NUMANode" nbobjs="4" kind="5" name="NUMALatency" indexing="os">\n    <indexes length="8">0 1 2 3 </indexes>\n    <u64values length="30">10 16 16 22 16 10 22 16 16 22 </u64values>\n    <u64values length="18">10 16 22 16 16 10 </u64values>\n  </distances2>\n&|' amd-6136.xml

sed -i 's|^  <support name="discovery.pu"/>|  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">\n    <indexes length="4">0 1 </indexes>\n    <u64values length="12">10 21 21 10 </u64values>\n  </distances2>\n&|' e5-2660v3.xml
sed -i '/type="NUMANode" os_index="1"/s/ os_index="1"/ subtype="MCDRAM"&/' knl-7250.xml
sed -i -e '/type="NUMANode" os_index="1"/s/ os_index="1"/ subtype="HBM"&/' \
  -e '/type="NUMANode" os_index="2"/s/ os_index="2"/ subtype="GPUMemory"&/' \
  -e '/type="NUMANode" os_index="3"/s/ os_index="3"/ subtype="NVM"&/' many-memories.xml

# MiB/s: the second has twice the bandwidth of the first, the third nearly so; the fourth tells none.
sed -i -e 's|^        <page_type size="4096" count="262144"/>|&\n        <info name="DAXType" value="NVM"/>|' \
  -e 's|^</topology>|  <memattr name="Bandwidth" flags="5">\n    <memattr_value target_obj_type="NUMANode" target_obj_gp_index="7" value="100000" initiator_cpuset="0x00000003"/>\n    <memattr_value target_obj_type="NUMANode" target_obj_gp_index="8" value="200000" initiator_cpuset="0x00000003"/>\n    <memattr_value target_obj_type="NUMANode" target_obj_gp_index="9" value="199999" initiator_cpuset="0x00000003"/>\n  </memattr>\n&|' unnamed-memories.xml

# Cores 0 and 1 are fast ones, the others save power and tell only what they run at usually.
sed -i 's|^</topology>|  <cpukind cpuset="0x00000550" forced_efficiency="0">\n    <info name="CoreType" value="IntelAtom"/>\n    <info name="FrequencyBaseMHz" value="2600"/>\n  </cpukind>\n  <cpukind cpuset="0x0000000f" forced_efficiency="1">\n    <info name="CoreType" value="IntelCore"/>\n    <info name="FrequencyBaseMHz" value="3600"/>\n    <info name="FrequencyMaxMHz" value="4900"/>\n  </cpukind>\n&|' hybrid.xml

at() {  # address, of which domain and function may be left out
  case $1 in *.*) printf '%s' "$1" ;; *) printf '0000:%s.0' "$1" ;; esac
}
bridge() {  # first bus, last bus, devices: a root of the PCI tree
  printf '<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[%s-%s]">%s</object>' "$1" "$2" "$3"
}
device() {  # address, class, vendor:device, vendor's name, model, what the system calls it: nothing without a driver
  printf '<object type="PCIDev" pci_busid="%s" pci_type="%s [%s] [0000:0000] 01" pci_link_speed="15.753846"><info name="PCIVendor" value="%s"/><info name="PCIDevice" value="%s"/>%s</object>' "$(at "$1")" "$2" "$3" "$4" "$5" "${6-}"
}
name() {  # type of hwloc (0 disk, 1 GPU, 2 network, 3 InfiniBand, 5 coprocessor), name, infos
  printf '<object type="OSDev" name="%s" osdev_type="%s">%s</object>' "$2" "$1" "${3-}"
}
info() { printf '<info name="%s" value="%s"/>' "$1" "$2"; }
gpu() {  # address, number
  device "$1" 0302 10de:20b0 "NVIDIA Corporation" "GA100" "$(name 1 card$2)$(name 1 renderD$((127 + $2)))$(name 5 cuda$(($2 - 1)))$(name 1 nvml$(($2 - 1)) "$(info NVIDIAUUID GPU-0000-$2)$(info GPUModel "NVIDIA A100-SXM4-40GB")")"
}
nic() {  # address, number
  device "$1" 0207 15b3:101b "Mellanox Technologies" "MT28908 Family [ConnectX-6]" "$(name 3 mlx5_$2 "$(info NodeGUID 1070:fd03:00aa:000$2)")$(name 2 ib$2)"
}
first=$(bridge 00 5f "$(device 02:00 0300 1a03:2000 "ASPEED Technology, Inc." "ASPEED Graphics Family" "$(name 1 card0)")$(device 03:00 0108 144d:a80a "Samsung" "NVMe" "$(name 0 nvme0n1)")$(nic 18:00 0)$(gpu 3b:00 1)$(gpu 5e:00 2)")
second=$(bridge 80 df "$(nic 86:00 1)$(gpu af:00 3)$(gpu d8:00 4)")
add() {  # machine, what to put at the end of its first package, of its second, and of the machine
  awk -v first="$2" -v second="$3" -v rest="$4" '
    /^    <\/object>/ { ++package; print "      " (package == 1 ? first : second) }
    /^  <\/object>/ && rest { print "    " rest }
    { print }' "$1.xml" | sed 's|><|>\n<|g' >"$1.tmp"
  mv "$1.tmp" "$1.xml"
}
add gpu-node "$first" "$second" ""

first=$(bridge 00 df "$(device 0000:5e:00.1 0302 10de:20b0 "NVIDIA Corporation" "GA100" "$(name 5 cuda2)")$(device 5e:00 0302 10de:20b0 "NVIDIA Corporation" "GA100" "$(name 5 cuda1)")$(device 0000:5d:03.0 0302 10de:20b0 "NVIDIA Corporation" "GA100" "$(name 5 cuda0)")$(device 3b:00 0302 10de:20b0 "NVIDIA Corporation" "GA100")$(device 1a:00 1200 1da3:1020 "Habana Labs Ltd." "Gaudi2")$(device 04:00 0300 1a03:2000 "ASPEED Technology, Inc." "ASPEED Graphics Family")$(device 05:00 0300 102b:0522 "Matrox Electronics Systems Ltd." "MGA G200e")$(device 18:00 0200 8086:1521 "Intel Corporation" "I350")")
second=$(printf '<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0001:[00-5f]">%s</object>' "$(device 0001:02:00.0 0302 1002:740c "Advanced Micro Devices, Inc." "MI250X" "$(name 5 opencl1d0 "$(info OpenCLDeviceType GPU)")")$(device 0001:01:00.0 0200 15b3:1021 "Mellanox Technologies" "ConnectX-7" "$(name 2 eth1)")")$(name 5 cuda9 "$(info GPUVendor Here)$(info GPUModel "On no bus")")
add mixed-devices "$first" "$second" "$(name 2 lo)$(name 5 opencl0d0 "$(info OpenCLDeviceType CPU)")$(name 2 eth0 "$(info Address 02:00:00:00:00:01)")"
sed -i -e '/type="NUMANode" os_index="2"/s/ os_index="2"/ subtype="CXL-HBM"&/' \
  -e '/type="NUMANode" os_index="3"/s/ os_index="3"/ subtype="CXL-NVM"&/' \
  -e 's|^</topology>|  <cpukind cpuset="0x0000000f">\n    <info name="CoreType" value="Every"/>\n    <info name="FrequencyBaseMHz" value="2000"/>\n  </cpukind>\n  <cpukind cpuset="0x0000000c">\n    <info name="CoreType" value="Some"/>\n    <info name="FrequencyMaxMHz" value="3000"/>\n  </cpukind>\n&|' mixed-devices.xml
