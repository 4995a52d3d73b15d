// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/ordered.hpp"

#include <algorithm>
#include <bit>

#include "mesh/checksum.hpp"
#include "parallel/count.hpp"

namespace twomesh::parallel {

TileOrder::TileOrder(MPI_Comm communicator, const Ownership& ownership) : communicator_(communicator) {
  for (int part = 0; part < ownership.parts(); ++part) tiles_.push_back(ownership.tile_count(part));
  counts_.resize(tiles_.size());
  displacements_.resize(tiles_.size());
}

std::span<const double> TileOrder::gather(std::span<const double> local, int width) {
  std::size_t total = 0;
  for (std::size_t rank = 0; rank < tiles_.size(); ++rank) {
    const std::size_t values = static_cast<std::size_t>(tiles_[rank]) * static_cast<std::size_t>(width);
    counts_[rank] = count_of(values);
    displacements_[rank] = count_of(total);
    total += values;
  }
  gathered_.resize(total);
  MPI_Allgatherv(local.data(), count_of(local.size()), MPI_DOUBLE, gathered_.data(), counts_.data(),
                 displacements_.data(), MPI_DOUBLE, communicator_);
  return gathered_;
}

void TileOrder::sum(std::span<const double> local, std::span<double> totals) {
  std::fill(totals.begin(), totals.end(), 0.0);
  const std::span<const double> all = gather(local, static_cast<int>(totals.size()));
  for (std::size_t place = 0; place < all.size(); ++place) totals[place % totals.size()] += all[place];
}

std::uint64_t TileOrder::checksum(std::span<const std::uint64_t> local) {
  std::vector<double> words;  // carried as the bits of doubles, which MPI_DOUBLE moves unchanged on one architecture
  for (const std::uint64_t word : local) words.push_back(std::bit_cast<double>(word));
  Checksum whole;
  for (const double word : gather(words, 1)) whole.add(word);
  return whole.value();
}

}  // namespace twomesh::parallel
