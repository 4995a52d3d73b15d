/* SPDX-License-Identifier: BSD-3-Clause */
/* Comity, the C interface without MPI; comity_mpi.h adds communicators, and of libraries of their own sched.h harts and tasks, record.h readers.
 *
 * Conventions of all functions
 *  - Each returns a comity_status; results come through pointers and are untouched on failure unless said otherwise.
 *    comity_last_error() holds the sentence of this thread's last failure: what failed, on which object, why, what to do.
 *  - Handles are opaque. A null handle gives COMITY_ERR_ARGUMENT, a freed or invented one COMITY_ERR_HANDLE, never a crash.
 *  - Objects, ranks and PUs are counted from 0. A "node rank" is a rank's place among those of its context on its node.
 *  - Units stand in names (_ns, _bytes) or in the brackets of each @param.
 *  - "Collective: over the node" means all ranks that this context has on the caller's node.
 *  - Several threads may each use a context of their own at once, for any call. On one context, queries come from any
 *    thread at any time, collective calls from one at a time. A handle may be passed to another library of the process:
 *    there is one Comity in it, whoever loaded it.
 *  - No function installs a signal handler, starts a thread, registers an exit handler, or draws from rand(); those of
 *    sched.h, which is not part of this header, do the first two.
 *  - Strings are UTF-8, owned by the library where a function returns them.
 */
#ifndef COMITY_COMITY_H
#define COMITY_COMITY_H

#include <comity/bootstrap.h>
#include <comity/context.h>
#include <comity/cpuset.h>
#include <comity/error.h>
#include <comity/machine.h>
#include <comity/phases.h>
#include <comity/place.h>
#include <comity/quiesce.h>
#include <comity/region.h>
#include <comity/split.h>
#include <comity/start.h>
#include <comity/version.h>

#endif
