#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# death_test.sh SURVIVORS COMMAND...: one rank more is started, which dies. Judged is what the survivors say, for the
# launcher's own status tells of the death.
survivors=$1
shift

said=$("$@" 2>&1)
printf '%s\n' "$said"
case $said in *FAIL*) exit 1 ;; esac
rank=0
while [ "$rank" -lt "$survivors" ]; do
  printf '%s\n' "$said" | grep -q "rank $rank survived" || { echo "FAIL: rank $rank said nothing"; exit 1; }
  rank=$((rank + 1))
done
