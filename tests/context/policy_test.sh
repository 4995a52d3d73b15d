#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A static OpenMP policy in the environment is reported once a node, with what to unset; none without one.
# usage: policy_test.sh LAUNCH_WORDS... (a program of two ranks that pushes)
set -u
lines() { grep -c 'fights with pushed bindings.*unset OMP_PROC_BIND' "$1"; }

said=$(mktemp)
trap 'rm -f "$said"' EXIT
OMP_PROC_BIND=true "$@" >"$said" 2>&1 || { cat "$said"; exit 1; }
with=$(lines "$said")
"$@" >"$said" 2>&1 || { cat "$said"; exit 1; }
without=$(lines "$said")
echo "with a policy: $with line(s), expected 1; without: $without, expected 0"
[ "$with" -eq 1 ] && [ "$without" -eq 0 ]
