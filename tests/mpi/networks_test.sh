#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# networks_test.sh LAUNCH...: ranks of one launch in two networks are nodes of their own, and one line says so. 77 where
# this may not be.
unshare --net true 2>/dev/null || { echo "NOT TESTED: no network of one's own without root" >&2; exit 77; }
said=$("$@" 2>&1)
ended=$?
echo "$said"
[ "$ended" -eq 0 ] || exit "$ended"
[ "$(echo "$said" | grep -c "the launcher put 2 ranks on this node, but only 1, this one among them, share it")" -eq 1 ] &&
  [ "$(echo "$said" | grep -c "node rank 0 computed")" -eq 2 ]
