#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# keep_going_test.sh SURVIVORS COMMAND...: the command starts one rank more, which is killed. Judged is what the survivors
# say, for the launcher's own status tells of the kill; and no file may be left. Both hand-overs: the usual one, and by file.
survivors=$1
shift

fail() {
  printf 'FAIL: %s: %s\n' "$COMITY_NODE_HANDOVER" "$1"
  exit 1
}

left_files() { ls /dev/shm | grep '^comity' | tr '\n' ' '; }

for COMITY_NODE_HANDOVER in auto file; do
  export COMITY_NODE_HANDOVER
  before=$(left_files)
  said=$(timeout -k 2 8 "$@" 2>&1)
  status=$?
  printf '%s\n' "$said"
  [ "$status" -ne 124 ] || fail "the job hangs"
  case $said in *FAIL*) fail "a survivor complains" ;; esac
  rank=0
  while [ "$rank" -lt "$survivors" ]; do
    printf '%s\n' "$said" | grep -q "rank $rank survived rank $survivors\$" || fail "rank $rank said nothing"
    rank=$((rank + 1))
  done
  for name in $(left_files); do
    case " $before " in *" $name "*) ;; *) fail "left in /dev/shm: $name" ;; esac
  done
done
