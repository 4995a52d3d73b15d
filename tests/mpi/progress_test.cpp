// SPDX-License-Identifier: BSD-3-Clause
// Ranks that rest with progress: the last rank sends each of them a message so large that it takes both sides, and comes
// to the rest only when they have it. Without progress none of them would take it, and the job would not end.
#include <vector>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kWords = 1 << 16;
constexpr int kRounds = 2;

void send_to_all(int ranks, std::vector<int>& words) {
  for (int rank = 0; rank < ranks - 1; ++rank) {
    MPI_Ssend(words.data(), kWords, MPI_INT, rank, 0, MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    Context context = make_context(MPI_COMM_WORLD);
    std::vector<int> words(kWords);
    for (int round = 1; round <= kRounds; ++round) {
      MPI_Request request = MPI_REQUEST_NULL;
      const bool sends = world_rank == ranks - 1;
      if (sends) words.assign(kWords, round);
      if (!sends) MPI_Irecv(words.data(), kWords, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, &request);
      if (sends) send_to_all(ranks, words);
      context.quiesce(COMITY_QUIESCE_PROGRESS);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(words.front() == round && words.back() == round, "the message came while the rank rested");
    }
  }
  MPI_Finalize();
  return finish();
}
