// SPDX-License-Identifier: BSD-3-Clause
#include "l0/migration.hpp"

#include <bit>

#include "checks/check.hpp"
#include "checks/shared_conduction.hpp"

namespace twomesh::checks {
namespace {

// Any 64 bits. First those that arithmetic would change, of which a hash makes too few: -0, two NaNs, the least number.
double pattern(int tile, std::size_t field, std::size_t cell) {
  constexpr std::array<std::uint64_t, 4> kFragile{0x8000000000000000U, 0x7FF0000000000001U, 0xFFF8000000C0FFEEU, 1U};
  if (cell < kFragile.size()) return std::bit_cast<double>(kFragile[cell]);
  Checksum hash;
  for (const std::uint64_t word : {static_cast<std::uint64_t>(tile), std::uint64_t{field}, std::uint64_t{cell}}) {
    hash.add(word);
  }
  return std::bit_cast<double>(hash.value());
}

// One rank's blocks of a mesh that the given ranks own.
struct Blocks {
  Blocks(int rank, const Tiling& tiling, const std::vector<int>& ranks) : owners(tiling.count(), ranks) {
    const int part = owners.part_on(rank);
    if (part < 0) return;
    first_tile = owners.first_tile(part);
    for (int tile = first_tile; tile < owners.first_tile(part + 1); ++tile) {
      local.emplace_back(tiling.tiles[static_cast<std::size_t>(tile)]);
    }
  }

  // act(value in the state, its pattern) for each cell of each field, ghosts left out
  template <typename Act>
  void each(Act act) {
    for (std::size_t place = 0; place < local.size(); ++place) {
      l0::Block& block = local[place];
      for (std::size_t field = 0; field < l0::kFields; ++field) {
        std::size_t cell = 0;
        for (int j = 0; j < block.ny(); ++j) {
          for (int i = 0; i < block.nx(); ++i) {
            act(block.state[field][block.at(i, j)], pattern(first_tile + static_cast<int>(place), field, cell++));
          }
        }
      }
    }
  }

  [[nodiscard]] double wrong_values() {
    double wrong = 0.0;
    each([&](double value, double sent) {
      if (std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(sent)) wrong += 1.0;
    });
    return wrong;
  }

  Ownership owners;
  int first_tile = 0;
  std::vector<l0::Block> local;
};

// How many values came to the few or back from them with other bits than they had, on this rank.
double wrong_there_and_back(MPI_Comm communicator, const Tiling& tiling, const std::vector<int>& few_ranks) {
  const int rank = parallel::rank_in(communicator);
  Blocks all(rank, tiling, every_rank(communicator));
  Blocks few(rank, tiling, few_ranks);
  all.each([](double& value, double sent) { value = sent; });
  l0::Migration(communicator, all.owners, few.owners).move(all.local, few.local);
  const double wrong_there = few.wrong_values();
  all.each([](double& value, double /*sent*/) { value = 0.0; });
  l0::Migration(communicator, few.owners, all.owners).move(few.local, all.local);
  return wrong_there + all.wrong_values();
}

}  // namespace

CheckResult check_migration(MPI_Comm communicator, int /*threads*/) {
  const int ranks = parallel::size_of(communicator);
  const Tiling tiling = block_tiling({72, 60}, 12, 12);
  std::vector<int> half;  // every other rank
  for (int rank = 0; rank < ranks; rank += 2) half.push_back(rank);
  double wrong = 0.0;
  for (const auto& few : {std::vector<int>{ranks - 1}, half, every_rank(communicator)}) {
    wrong += wrong_there_and_back(communicator, tiling, few);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_DOUBLE, MPI_SUM, communicator);
  return {"migration", wrong == 0.0, {{"values_changed", wrong}, {"bound", 0.0}}};
}

}  // namespace twomesh::checks
