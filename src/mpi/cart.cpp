// SPDX-License-Identifier: BSD-3-Clause
// comity_place_cart_create: a reordered communicator with the grid that it was reordered for.
#include <comity/comity_mpi.h>

#include <new>
#include <optional>
#include <vector>

#include "mpi/guard.hpp"
#include "mpi/job.hpp"
#include "mpi/reorder.hpp"

namespace comity::mpi {
namespace {

struct Grid {
  std::int32_t dimensions;
  const std::int32_t* extents;
  const std::int32_t* periodic;
  const std::int64_t* halo;
  comity_place_objective objective;
};

comity_status require_arguments(const Grid& grid, const MPI_Comm* cart) {
  if (grid.extents == nullptr) {
    return report(COMITY_ERR_ARGUMENT, "reorder for a grid: `extents` is null; pass how many ranks each dimension has");
  }
  if (cart == nullptr) return report(COMITY_ERR_ARGUMENT, "reorder for a grid: `cart` is null; pass where it goes");
  if (grid.dimensions < 1) {
    return report(COMITY_ERR_RANGE, "reorder for a grid: it has less than one dimension; pass how many it has");
  }
  return COMITY_OK;
}

Question question_of(const Grid& grid) {
  Question question;
  question.add(grid.dimensions);
  question.add_all(grid.extents, grid.dimensions);
  question.add_all(grid.periodic, grid.dimensions);
  question.add_all(grid.halo, grid.dimensions);
  question.add(grid.objective);
  return question;
}

// As MPI_Cart_create takes it. Made before anything collective, for it may find no memory.
struct MpiGrid {
  std::vector<int> extents, periodic;

  explicit MpiGrid(const Grid& grid)
      : extents(grid.extents, grid.extents + grid.dimensions), periodic(extents.size(), 0) {
    for (std::size_t i = 0; grid.periodic != nullptr && i < periodic.size(); ++i)
      periodic[i] = grid.periodic[i] != 0 ? 1 : 0;
  }
};

comity_status prepare(const Grid& grid, const MPI_Comm* cart, std::optional<MpiGrid>& prepared) {
  const comity_status status = require_arguments(grid, cart);
  if (status != COMITY_OK) return status;
  try {
    prepared.emplace(grid);
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  }
  return COMITY_OK;
}

int create(const MpiGrid& grid, MPI_Comm reordered, MPI_Comm* cart) {
  return MPI_Cart_create(reordered, static_cast<int>(grid.extents.size()), grid.extents.data(), grid.periodic.data(), 0,
                         cart);
}

comity_status make_cart(MPI_Comm communicator, const Grid& grid, MPI_Comm* cart) {
  comity_status status = require_usable(communicator);
  if (status != COMITY_OK) return status;
  Job* job = nullptr;
  status = find_job(communicator, job);
  if (status != COMITY_OK) return status;
  std::optional<MpiGrid> prepared;
  const comity_status found = prepare(grid, cart, prepared);
  const auto find_order = [&](std::int32_t ranks, const comity_place_seat* seats, std::int32_t* new_ranks) {
    return comity_place_grid(ranks, seats, grid.dimensions, grid.extents, grid.periodic, grid.halo, grid.objective,
                             new_ranks);
  };
  Communicator reordered;
  const Question question = found == COMITY_OK ? question_of(grid) : Question();
  status = reorder(communicator, *job, found, question, find_order, reordered);
  if (status != COMITY_OK) return status;
  MPI_Comm made = MPI_COMM_NULL;
  if (reordered.get() != MPI_COMM_NULL) {
    if (create(*prepared, reordered.get(), &made) != MPI_SUCCESS) {
      return report(COMITY_ERR_MPI, "reorder for a grid: MPI_Cart_create failed; see MPI's own message");
    }
    take_errhandler(made, communicator);
  }
  *cart = made;
  return COMITY_OK;
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_place_cart_create(MPI_Comm communicator, int32_t dimensions, const int32_t* extents,
                                       const int32_t* periodic, const int64_t* halo, comity_place_objective objective,
                                       MPI_Comm* cart) {
  using namespace comity::mpi;
  return guard([&] { return make_cart(communicator, {dimensions, extents, periodic, halo, objective}, cart); });
}
