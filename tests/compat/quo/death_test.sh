#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# death_test.sh RANKS VICTIM COMMAND...: of so many ranks one dies. Judged is what the survivors say, for the launcher's own
# status tells of the death.
ranks=$1
victim=$2
shift 2

said=$("$@" 2>&1)
printf '%s\n' "$said"
case $said in *FAIL*) exit 1 ;; esac
rank=0
while [ "$rank" -lt "$ranks" ]; do
  [ "$rank" -eq "$victim" ] || printf '%s\n' "$said" | grep -q "rank $rank survived" ||
    { echo "FAIL: rank $rank said nothing"; exit 1; }
  rank=$((rank + 1))
done
