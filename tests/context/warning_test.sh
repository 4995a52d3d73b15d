#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How many lines of a program's output have a pattern: a warning comes once a node, and only where its cause is there.
# usage: warning_test.sh COUNT PATTERN [VARIABLE=VALUE] COMMAND...     exit 77 (skipped) where there is one CPU, or one core, only
set -u
[ "$(nproc)" -gt 1 ] || { echo "NOT TESTED: one CPU only: no team to warn of"; exit 77; }

wanted=$1
pattern=$2
shift 2
said=$(mktemp)
trap 'rm -f "$said"' EXIT
env "$@" >"$said" 2>&1
ended=$?
[ "$ended" -eq 0 ] || { cat "$said"; exit "$ended"; }
found=$(grep -c "$pattern" "$said")
echo "$found line(s) with '$pattern', expected $wanted"
[ "$found" -eq "$wanted" ]
