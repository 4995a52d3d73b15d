#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the recorded machines of this folder with hwloc's lstopo (package hwloc). The results are committed: run it only
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

sed -i 's/allowed_cpuset="0x000000ff"/allowed_cpuset="0x0000003c"/' forbidden.xml
sed -i 's/allowed_cpuset="0x000000ff"/allowed_cpuset="0x00000030"/' forbidden-package.xml

sed -i -e '0,/nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001"/s//nodeset="0x00000003" complete_nodeset="0x00000003" allowed_nodeset="0x00000003"/' \
  -e 's|^  </object>|    <object type="Group" cpuset="0x0" complete_cpuset="0x0" nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="98" kind="1001" subkind="0">\n      <object type="NUMANode" os_index="1" cpuset="0x0" complete_cpuset="0x0" nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="99" local_memory="68719476736"/>\n    </object>\n  </object>|' memory-only.xml

# hwloc writes a matrix in pieces of at most ten numbers, with the length of each piece in characters.
sed -i 's|^  <support name="discovery.pu"/>|  <distances2 type="NUMANode" nbobjs="4" kind="5" name="NUMALatency" indexing="os">\n    <indexes length="8">0 1 2 3 </indexes>\n    <u64values length="30">10 16 16 22 16 10 22 16 16 22 </u64values>\n    <u64values length="18">10 16 22 16 16 10 </u64values>\n  </distances2>\n&|' amd-6136.xml
