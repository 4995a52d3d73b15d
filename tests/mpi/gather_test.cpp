// SPDX-License-Identifier: BSD-3-Clause
// The gather of a create: everybody's blocks in order, on each number of ranks up to those of the job, also of large blocks,
// of some ranks alone, and of one gather right after the other.
#include "mpi/gather.hpp"

#include <vector>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

std::byte content(int rank, std::size_t place, int round) {
  return static_cast<std::byte>(rank * 31 + static_cast<int>(place) * 7 + round * 101);
}

std::vector<std::byte> block_of(int rank, std::size_t bytes, int round) {
  std::vector<std::byte> block(bytes);
  for (std::size_t place = 0; place < bytes; ++place) block[place] = content(rank, place, round);
  return block;
}

void gathers(const mpi::Circle& circle, std::size_t bytes, int round) {
  const int ranks = circle.size();
  const std::vector<std::byte> mine = block_of(circle.own(), bytes, round);
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(ranks));
  mpi::Absence who(mpi::Lines{circle.communicator(), MPI_COMM_NULL});
  expect_equal(mpi::gather_blocks(mine.data(), bytes, all.data(), circle, who), COMITY_OK, "the status");
  for (int other = 0; other < ranks; ++other) {
    const std::vector<std::byte> wanted = block_of(other, bytes, round);
    expect(std::equal(wanted.begin(), wanted.end(), all.begin() + static_cast<std::ptrdiff_t>(bytes) * other),
           "block " + std::to_string(other) + " of " + std::to_string(ranks) + ", " + std::to_string(bytes) + " bytes");
  }
}

// Those of even rank and those of odd rank apart, in falling order, at once.
void in_two_circles(MPI_Comm communicator, int ranks) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::vector<int> mine;
  int own = 0;
  for (int other = ranks - 1; other >= 0; --other) {
    if (other == rank) own = static_cast<int>(mine.size());
    if (other % 2 == rank % 2) mine.push_back(other);
  }
  for (int round = 0; round < 3; ++round) gathers({communicator, mine, own}, 40, round);
}

// Ranks below `ranks`, in falling order, so that places in the communicator are not those of the job.
void on_ranks(int ranks) {
  const bool in = world().rank < ranks;
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, -world().rank, &some);
  if (!in) return;
  const mpi::Circle all(some);
  for (int round = 0; round < 5; ++round) gathers(all, 1 + 12 * static_cast<std::size_t>(round), round);
  gathers(all, 384, 5);
  in_two_circles(some, ranks);
  gathers(all, std::size_t{1} << 20U, 6);  // beyond what an MPI sends without asking first
  MPI_Comm_free(&some);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world_rank = world().rank;
  for (int ranks = 1; ranks <= world().size; ++ranks) on_ranks(ranks);
  MPI_Finalize();
  return finish();
}
