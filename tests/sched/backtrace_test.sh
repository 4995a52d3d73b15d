#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A debugger that walks a fiber's stack finds its end where the fiber began, after a few frames.
#   backtrace_test.sh GDB PROGRAM
set -u
found=$("$1" -nx -batch -ex 'set debuginfod enabled off' -ex 'set confirm off' -ex run -ex bt "$2" 2>&1)
if ! echo "$found" | grep -q 'received signal SIGTRAP'; then
  echo "$found"
  echo "NOT TESTED: the debugger cannot run a program here"
  exit 77
fi
frames=$(echo "$found" | grep '^#')
if echo "$frames" | grep -q 'stop_here' && echo "$frames" | tail -n 1 | grep -q 'begin_fiber' &&
  [ "$(echo "$frames" | wc -l)" -lt 20 ]; then
  exit 0
fi
echo "$found"
echo "FAIL: the last of a few frames is not begin_fiber"
exit 1
