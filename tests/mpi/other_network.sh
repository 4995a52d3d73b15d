#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# other_network.sh COMMAND...: the command, with a network of its own where this is rank 1, as in a container.
[ "$PMI_RANK" = 1 ] && exec unshare --net "$@"
exec "$@"
