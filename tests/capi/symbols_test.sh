#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Only comity_* is exported, each symbol with a version, libcomity links no MPI, and any program may load it at any time.
# usage: symbols_test.sh LIBCOMITY [LIBCOMITY_MPI...]
#        symbols_test.sh --own-threads LIBRARY...      of libraries that start threads and have a pointer of each, and say so
set -u
failures=0
own_threads=no
if [ "$1" = --own-threads ]; then
  own_threads=yes
  shift
fi

fail() {
  echo "FAIL: $1"
  failures=$((failures + 1))
}

for library in "$@"; do
  symbols=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^COMITY_')
  [ -n "$symbols" ] || fail "$library exports nothing"
  foreign=$(echo "$symbols" | grep -v '^comity_')
  [ -z "$foreign" ] || fail "$library exports more than comity_*: $foreign"
  bare=$(echo "$symbols" | grep -v '@@COMITY_[0-9]')
  [ -z "$bare" ] || fail "$library exports without a version: $bare"
  # Python brings us late, when little of that memory is left.
  [ $own_threads = yes ] || ! readelf -d "$library" | grep -q STATIC_TLS || fail "$library cannot be loaded by every program: it has STATIC_TLS"
done

# What must never run in somebody else's program because of us. std::thread, std::jthread and std::async start theirs by a
# function of libstdc++; a call of pthread_create is not seen here.
handlers='__cxa_atexit|__cxa_thread_atexit|__cxa_thread_atexit_impl|atexit|on_exit|signal|sigaction|signalfd'
starters='pthread_create|thrd_create|clone|clone3|_ZNSt6thread[0-9]+_M_start_thread.*'
numbers='rand|srand|random|srandom'
if [ $own_threads = yes ]; then
  handlers='atexit|on_exit'
  starters='clone|clone3'
fi
for library in "$@"; do
  foreign=$(nm -D --undefined-only "$library" | awk '{sub(/@.*/, "", $2); print $2}' |
    grep -xE "$handlers|$starters|$numbers")
  [ -z "$foreign" ] || fail "$library calls $foreign"
done

needed=$(readelf -d "$1" | grep NEEDED)
case "$needed" in *mpi*) fail "$1 links an MPI: $needed" ;; esac

[ "$failures" -eq 0 ] && echo "exports are comity_* alone, versioned; libcomity links no MPI"
[ "$failures" -eq 0 ]
