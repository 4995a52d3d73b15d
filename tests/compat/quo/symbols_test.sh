#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# symbols_test.sh SONAME LIBRARY PATTERN NAME...: the library has that soname, and of the symbols that the pattern matches it
# shows exactly these, and none but those that it matches.
soname=$1
library=$2
pattern=$3
shift 3

fail() {
  printf 'FAIL: %s\n' "$1"
  exit 1
}

readelf -d "$library" | grep -q "(SONAME).*\[$soname\]" || fail "$library has another soname than $soname"
shown=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
wanted=$(printf '%s\n' "$@" | sort)
[ "$(printf '%s\n' "$shown" | grep -E "$pattern")" = "$wanted" ] || fail "$library shows: $shown
expected: $wanted"
others=$(printf '%s\n' "$shown" | grep -v -E "$pattern|^(_init|_fini)$")
[ -z "$others" ] || fail "$library shows also: $others"
