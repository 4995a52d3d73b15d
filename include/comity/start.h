/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs whose launcher binds each rank to a core. GNU's OpenMP counts the CPUs of the process once, when it is
 * loaded, and a team of more members than that sleeps at every barrier, ever after: a rank that starts on one core and
 * later computes on many is slow there. An executable that is linked with `comity::start` (CMake) or `comity_start`
 * (pkg-config) needs no binding options of the launcher: GNU's OpenMP counts all CPUs that the process may use, because its
 * first thread is let off the launcher's binding while the constructors of the shared libraries run. It is back on it,
 * with the threads that those have started, before any other code of the executable runs, and omp_get_max_threads() is
 * what the launcher's binding makes it. Nothing is called and this header is not included; where OMP_PROC_BIND, OMP_PLACES,
 * GOMP_CPU_AFFINITY or KMP_AFFINITY are set, nothing happens. Conventions of all C headers: see comity.h. */
#ifndef COMITY_START_H
#define COMITY_START_H

#include <stdint.h>

#include <comity/error.h>
#include <comity/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Tell Comity how many CPUs the OpenMP runtimes have counted when they were loaded, where those are not the process's own:
 *  it warns of teams that are larger. `comity::start` calls it; so may a start-up code of your own that does the same.
 *  @param cpus [CPUs] at least 1.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: cpus is below 1.
 *  Call from: any thread, before the first phase. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_start_counted(int32_t cpus);

#ifdef __cplusplus
}
#endif
#endif
