/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions: the program's own names for its parts, so that figures can be told by them. Nothing moves, and without a tool
 * that listens (comity run --metrics, --record) nothing is kept. Conventions of all C headers: see comity.h. */
#ifndef COMITY_REGION_H
#define COMITY_REGION_H

#include <comity/error.h>
#include <comity/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Begin a region of the calling thread. Regions nest, on each thread by itself: one inside "step" is told as
 *  "step/solve".
 *  @param name [string, in] 1 .. 255 bytes of UTF-8, all visible letters, without "/", copied; the same on all ranks where
 *  the figures of ranks are to be compared. Names that begin with "(" or "MPI_Pcontrol(" are those of a tool's own rows
 *  ("(run)"). A tool keeps 1,000 different ones; names with numbers in them soon are more.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null, empty, too long, no such letters, with a "/", or a tool's own: no region
 *  has begun.
 *  Call from: any thread, before MPI_Init and after MPI_Finalize too. Blocks: no. Collective: no. Owns: one region until
 *  comity_region_end. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_region_begin(const char* name);

/** End the innermost region of the calling thread.
 *  @return COMITY_OK; COMITY_ERR_ORDER: this thread has begun none.
 *  Call from: the thread that began it. Blocks: no. Collective: no. Owns: gives the region back. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_region_end(void);

#ifdef __cplusplus
}
#endif
#endif
