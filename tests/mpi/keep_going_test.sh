#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# keep_going_test.sh HANDOVER SURVIVORS OTHERS COMMAND...: the command starts that many more, who are killed one after the other.
# Judged is what the survivors say, for the launcher's own status tells of the kills; and that nothing is left in the
# folder of shared memory and in that of temporary files, nor any process.
export COMITY_NODE_HANDOVER="$1"
survivors=$2
others=$3
shift 3
program=$(for word in "$@"; do :; done; printf '%s' "$word")
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

fail() {
  printf 'FAIL: %s\n' "$1"
  exit 1
}

left_files() { ls /dev/shm "$TMPDIR" | grep '^comity' | tr '\n' ' '; }

before=$(left_files)
said=$(timeout -k 2 45 "$@" 2>&1)
status=$?
printf '%s\n' "$said"
[ "$status" -ne 124 ] || fail "the job hangs"
case $said in *FAIL*) fail "a survivor complains" ;; esac
rank=0
while [ "$rank" -lt "$survivors" ]; do
  printf '%s\n' "$said" | grep -q "rank $rank survived $others others\$" || fail "rank $rank said nothing"
  rank=$((rank + 1))
done
new_files() {
  for name in $(left_files); do
    case " $before " in *" $name "*) ;; *) printf '%s ' "$name" ;; esac
  done
}
tries=0
while [ -n "$(new_files)" ] && [ "$tries" -lt 50 ]; do # what other jobs have there for a moment goes again
  sleep 0.1
  tries=$((tries + 1))
done
left=$(new_files)
[ -z "$left" ] || fail "left behind: $left"
for process in /proc/[0-9]*; do
  [ "$(readlink "$process/exe")" != "$program" ] || fail "still there: process ${process#/proc/}"
done
exit 0
