// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/mpi_rows.hpp"

#include <algorithm>
#include <array>

namespace twomesh::parallel {
namespace {

constexpr int kUpTag = 111;
constexpr int kDownTag = 112;

}  // namespace

MpiRows::MpiRows(MPI_Comm communicator, const Ownership& ownership)
    : communicator_(communicator), order_(communicator, ownership) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (ownership.tile_count(rank) == 0) return;
  const int tiles = ownership.first_tile(ownership.parts());
  below_ = ownership.part_of_tile((ownership.first_tile(rank) + tiles - 1) % tiles);
  above_ = ownership.part_of_tile(ownership.first_tile(rank + 1) % tiles);
}

void MpiRows::exchange_rows(l1::RowField& field) {
  if (field.rows() == 0) return;
  const int rows = field.rows();
  const int nx = field.nx();
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  if (below_ == rank) {  // alone: no message
    std::copy(field.row(rows - 1), field.row(rows - 1) + nx, field.row(-1));
    std::copy(field.row(0), field.row(0) + nx, field.row(rows));
    return;
  }
  std::array<MPI_Request, 4> requests{};
  MPI_Irecv(field.row(-1), nx, MPI_DOUBLE, below_, kUpTag, communicator_, &requests[0]);
  MPI_Irecv(field.row(rows), nx, MPI_DOUBLE, above_, kDownTag, communicator_, &requests[1]);
  MPI_Isend(field.row(rows - 1), nx, MPI_DOUBLE, above_, kUpTag, communicator_, &requests[2]);
  MPI_Isend(field.row(0), nx, MPI_DOUBLE, below_, kDownTag, communicator_, &requests[3]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void MpiRows::sum(std::span<const double> local, std::span<double> totals) { order_.sum(local, totals); }

}  // namespace twomesh::parallel
