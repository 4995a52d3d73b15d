// SPDX-License-Identifier: BSD-3-Clause
// Ranks that rest with progress: the last rank sends each of them a message so large that it takes both sides, and comes
// to the rest only when they have it. Without progress none of them would take it, and the job would not end.
//   asleep: it sends only when it has seen each of them sleep, on one host
#include <unistd.h>

#include <string_view>
#include <vector>

#include "../coop/programs/asleep.h"
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

std::vector<int> processes_of(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  const int mine = static_cast<int>(::getpid());
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

void expect_asleep(const std::vector<int>& processes) {
  constexpr int kPatience_us = 10'000'000;
  for (const int process : processes) {
    const bool sleeps = process == processes.back() || let_fall_asleep(process, kPatience_us) != 0;
    expect(sleeps, "a rank that rests sleeps");
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
    const bool looks = argc > 1 && std::string_view(argv[1]) == "asleep";
    const std::vector<int> processes = processes_of(ranks);
    std::vector<int> words(kWords);
    for (int round = 1; round <= kRounds; ++round) {
      MPI_Request request = MPI_REQUEST_NULL;
      const bool sends = world_rank == ranks - 1;
      if (sends) words.assign(kWords, round);
      if (!sends) MPI_Irecv(words.data(), kWords, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, &request);
      if (sends && looks) expect_asleep(processes);
      if (sends) send_to_all(ranks, words);
      context.quiesce(COMITY_QUIESCE_PROGRESS);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(words.front() == round && words.back() == round, "the message came while the rank rested");
    }
  }
  MPI_Finalize();
  return finish();
}
