#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the tests of sched for 64-bit Arm and runs them in an emulator of that processor.
#   run.sh COMPILER EMULATOR GTEST_SOURCES FOLDER
set -eu
here=$(dirname "$0")
# Where the emulator looks for what programs are linked with: above the folder of the compiler's libc.
root=$(dirname "$(dirname "$("$1" -print-file-name=libc.so.6)")")
QEMU_LD_PREFIX=$root
export QEMU_LD_PREFIX
cmake -S "$here" -B "$4" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER="${1%g++}gcc" -DCMAKE_CXX_COMPILER="$1" -DCOMITY_QEMU="$2" \
  -DCOMITY_GTEST_SOURCES="$3"
cmake --build "$4"
exec ctest --test-dir "$4" --output-on-failure --timeout 300
