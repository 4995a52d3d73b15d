// SPDX-License-Identifier: BSD-3-Clause
#include "coop/stencil.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace bench::coop {
namespace {

constexpr int kSide = 256;
constexpr double kDiffusion = 0.1;
constexpr double kReaction = 1e-4;  // so small that no number settles
constexpr int kTag = 5;

double* row(std::vector<double>& field, int index) { return field.data() + static_cast<std::size_t>(index) * kSide; }

}  // namespace

Stencil::Stencil(const World& world, int units)
    : world_(world),
      units_(units),
      rows_(kSide / world.size),
      field_(static_cast<std::size_t>(rows_ + 2) * kSide),
      next_(field_) {
  if (kSide % world.size != 0) {
    throw std::runtime_error("the stencil's " + std::to_string(kSide) + " rows cannot be dealt evenly to " +
                             std::to_string(world.size) + " ranks: take 1, 2, 4, 8 or so");
  }
  for (int y = 1; y <= rows_; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const int global = world_.rank * rows_ + y - 1;
      row(field_, y)[x] = 0.5 + 0.4 * std::sin(0.05 * x) * std::cos(0.03 * global);
    }
  }
}

void Stencil::step() {
  exchange_halo();
  react_and_diffuse();
  const double mine = largest_change();
  MPI_Allreduce(&mine, &change_, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  field_.swap(next_);
}

// The outermost rows of the square have zeros beyond them.
void Stencil::exchange_halo() {
  const int above = world_.rank > 0 ? world_.rank - 1 : MPI_PROC_NULL;
  const int below = world_.rank + 1 < world_.size ? world_.rank + 1 : MPI_PROC_NULL;
  std::array<MPI_Request, 4> requests{};
  MPI_Irecv(row(field_, 0), kSide, MPI_DOUBLE, above, kTag, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(row(field_, rows_ + 1), kSide, MPI_DOUBLE, below, kTag, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(row(field_, 1), kSide, MPI_DOUBLE, above, kTag, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(row(field_, rows_), kSide, MPI_DOUBLE, below, kTag, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void Stencil::react_and_diffuse() {
#pragma omp parallel for schedule(static)
  for (int y = 1; y <= rows_; ++y) {
    const double* const here = row(field_, y);
    const double* const up = row(field_, y - 1);
    const double* const down = row(field_, y + 1);
    double* const to = row(next_, y);
    for (int x = 0; x < kSide; ++x) {
      const double left = x > 0 ? here[x - 1] : 0;
      const double right = x + 1 < kSide ? here[x + 1] : 0;
      to[x] = here[x] + kDiffusion * (left + right + up[x] + down[x] - 4 * here[x]);
    }
    for (int unit = 0; unit < units_; ++unit) {
      for (int x = 0; x < kSide; ++x) to[x] += kReaction * to[x] * (1 - to[x]);
    }
  }
}

double Stencil::largest_change() const {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::size_t i = kSide; i < field_.size() - kSide; ++i)
    largest = std::max(largest, std::abs(next_[i] - field_[i]));
  return largest;
}

// A sum of bits does not depend on the order.
std::string Stencil::checksum() const {
  std::uint64_t mine = 0;
  for (std::size_t i = kSide; i < field_.size() - kSide; ++i) mine += std::bit_cast<std::uint64_t>(field_[i]);
  std::uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return std::to_string(all ^ std::bit_cast<std::uint64_t>(change_));
}

}  // namespace bench::coop
