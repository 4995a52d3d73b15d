#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# expect_status.sh STATUS SENTENCE COMMAND...: the command must end with the status and say the sentence.
wanted=$1
sentence=$2
shift 2
said=$("$@" 2>&1)
status=$?
printf '%s\n' "$said"
if [ "$status" -ne "$wanted" ]; then
  echo "ended with $status, expected $wanted"
  exit 1
fi
case $said in
  *"$sentence"*) exit 0 ;;
esac
echo "did not say: $sentence"
exit 1
