#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shield_launcher.sh COMMAND...: the launcher sees this shell, which ends well whatever happens to the command. MPICH 4.0's
# launcher kills the job when its child dies by a signal, whatever -disable-auto-cleanup says, and tells the survivors by
# SIGUSR1, which MPI_Init handles and this shell must ignore.
trap '' USR1
"$@"
exit 0
