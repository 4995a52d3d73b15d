#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hold_huge_pages.sh PAGES [FILE]: adds pages of hugetlbfs to those that the machine has, prints how many it got, and gives them back once its
# input ends: also where the test that asked was killed. It goes on in a session of its own as nobody's child, for who kills a test kills its
# group or its descendants with it.
pages=$1
file=${2:-/proc/sys/vm/nr_hugepages}
if [ "$3" != goes-on ]; then
  exec 3<&0  # a shell gives what it leaves behind no input unless told
  setsid sh "$0" "$pages" "$file" goes-on <&3 3<&- 2>/dev/null &
  exit 0
fi

# Prints how many there are more then. One at a time: others add theirs to what they read.
change_by() (
  flock 9 || exit
  before=$(cat "$file")
  echo $((before + $1)) >"$file"
  echo $(($(cat "$file") - before))
) 9<"$file"

got=$(change_by "$pages")
echo "${got:-0}"
cat >/dev/null
[ "${got:-0}" -eq 0 ] || change_by "-$got" >/dev/null
