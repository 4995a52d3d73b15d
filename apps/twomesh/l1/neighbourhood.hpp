// SPDX-License-Identifier: BSD-3-Clause
// What L1 needs of the ranks that share its mesh: ghost rows and sums in strip order. MPI stands behind it
// (parallel/mpi_rows.hpp); a rank alone uses LoneRank.
#pragma once

#include <span>

#include "l1/row_field.hpp"

namespace twomesh::l1 {

class Neighbourhood {
 public:
  virtual ~Neighbourhood() = default;
  // Collective. Fills the ghost rows of the field from the rows of the neighbours in y.
  virtual void exchange_rows(RowField& field) = 0;
  // Collective. Sums over all strips of the mesh, in strip order: `local` holds totals.size() values for each local
  // strip.
  virtual void sum(std::span<const double> local, std::span<double> totals) = 0;
};

// One rank holds the whole periodic mesh.
class LoneRank final : public Neighbourhood {
 public:
  void exchange_rows(RowField& field) override;
  void sum(std::span<const double> local, std::span<double> totals) override;
};

}  // namespace twomesh::l1
