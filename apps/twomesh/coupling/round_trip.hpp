// SPDX-License-Identifier: BSD-3-Clause
// Whether fields that went to the other mesh and came back unchanged lie where they were. A conservative remap keeps the
// totals of regions that are whole cells of both meshes (every 2 x 2 cells of one where the other is 1.5 times as fine); it
// smooths inside them.
#pragma once

#include <mpi.h>

#include <vector>

#include "l0/hydro.hpp"
#include "remap/transfer.hpp"

namespace twomesh::coupling {

// A conserved field of L0 on this rank's blocks.
[[nodiscard]] std::vector<remap::ConstTile> tiles_of_field(const l0::Hydro& hydro, int field);

// Collective. Largest difference between what is in a region and what came back to it, against the region's own scale.
// `returned`: density and the two momenta, each on the tiles of this rank's blocks, in their order.
[[nodiscard]] double round_trip_error(MPI_Comm communicator, const l0::Hydro& hydro, const Grid& other,
                                      const std::vector<std::vector<remap::ConstTile>>& returned);

}  // namespace twomesh::coupling
