// SPDX-License-Identifier: BSD-3-Clause
// Absence: who of those that a wait is for has ended, so that it can end too. MPI itself would wait for ever.
#pragma once

#include <mpi.h>

namespace comity::mpi {

class Absence {
 public:
  // `awaited`: whose ranks the wait is for. `node`: those known to be on this node, MPI_COMM_NULL where nobody knows yet; then
  // ranks count only where the launcher started all of its job here. Nobody is missed on other nodes.
  Absence(MPI_Comm awaited, MPI_Comm node) : awaited_(awaited), node_(node) {}

  // Whether a rank of `awaited` was missing in this look and in the one before. Takes milliseconds. Two looks, for a process
  // that is just becoming another program shows no environment.
  [[nodiscard]] bool found();
  // The one that was found, by its number in MPI_COMM_WORLD.
  [[nodiscard]] int rank() const { return suspect_; }

 private:
  [[nodiscard]] int missing() const;  // -1: nobody that anybody knows of

  MPI_Comm awaited_;
  MPI_Comm node_;
  int suspect_ = -1;
};

}  // namespace comity::mpi
