// SPDX-License-Identifier: BSD-3-Clause
// Everybody's block on everybody, with few messages. MPI_Iallgather may send one to each rank at once, for which Open MPI
// then keeps requests and message pools in every rank for good. Source: Bruck et al., "Efficient algorithms for all-to-all
// communications in multiport message-passing systems" (1997): in round k each rank passes on all that it has, 2^k away.
#pragma once

#include <comity/error.h>
#include <mpi.h>

#include <cstddef>

#include "mpi/absence.hpp"
#include "mpi/circle.hpp"

namespace comity::mpi {

// Collective over the circle, whose communicator nothing else of this tag is sent on meanwhile. `mine`: block_bytes;
// `all`: that many for each rank. The core is left to others while it waits. Returns as wait_patiently, and on
// COMITY_ERR_PEER_LOST `all` may still be written to.
[[nodiscard]] comity_status gather_blocks(const void* mine, std::size_t block_bytes, void* all, const Circle& circle,
                                          Absence& who);

}  // namespace comity::mpi
