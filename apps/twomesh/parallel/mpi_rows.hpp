// SPDX-License-Identifier: BSD-3-Clause
// L1's neighbourhood over MPI: rank p of the communicator owns part p of the strips; the mesh is periodic in y.
#pragma once

#include <mpi.h>

#include "l1/neighbourhood.hpp"
#include "parallel/ordered.hpp"

namespace twomesh::parallel {

class MpiRows final : public l1::Neighbourhood {
 public:
  // The communicator stays the caller's.
  MpiRows(MPI_Comm communicator, const Ownership& ownership);

  void exchange_rows(l1::RowField& field) override;
  void sum(std::span<const double> local, std::span<double> totals) override;
  [[nodiscard]] TileOrder& order() { return order_; }

 private:
  MPI_Comm communicator_;
  int below_ = MPI_PROC_NULL,
      above_ = MPI_PROC_NULL;  // owners of the rows before and after mine; none if I have none
  TileOrder order_;
};

}  // namespace twomesh::parallel
