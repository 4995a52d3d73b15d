/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts on MPI communicators: library comity_mpi-<mpi>, one build an MPI. Conventions: see comity.h. */
#ifndef COMITY_COMITY_MPI_H
#define COMITY_COMITY_MPI_H

#include <mpi.h>

#include <comity/comity.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Create a context on any intra-communicator. A failure of one rank fails all with the same code. Creates of one
 *  process run one at a time, so all ranks have to make theirs in the same order.
 *  @param communicator [MPI handle] not MPI_COMM_NULL, not an inter-communicator; used only during the call.
 *  @param context [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_MPI: MPI is not initialised or is finalised, a bad communicator, or an MPI error;
 *  COMITY_ERR_ARGUMENT: null; COMITY_ERR_TOPOLOGY; COMITY_ERR_VERSION; COMITY_ERR_OPTION; COMITY_ERR_SYSTEM;
 *  COMITY_ERR_PEER_LOST; COMITY_ERR_MEMORY: also as in comity_context_create_local.
 *  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller
 *  frees, before MPI_Finalize or after. Since: 0.1. Source: 000_... III.A. */
COMITY_EXPORT comity_status comity_context_create(MPI_Comm communicator, comity_context** context);

#ifdef __cplusplus
}
#endif
#endif
