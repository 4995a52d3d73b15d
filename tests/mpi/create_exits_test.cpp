// SPDX-License-Identifier: BSD-3-Clause
// The last rank ends instead of creating with the others, which come to the create one after the other, the last first, and
// end as soon as they are told: so whoever looks finds more of them missing each time, with ever lower numbers. Each is told
// within a second. Who is told says so in one line, which keep_going_test.sh counts.
#include <comity/comity_mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "death_watch.hpp"
#include "survivors.hpp"

using namespace comity::testing;

namespace {

constexpr int kApart_us = 50'000;

std::string fault_of_create(pid_t victim) {
  const DeathWatch death(victim);
  const ToldInTime told;
  comity_context* context = nullptr;
  const comity_status status = comity_context_create(MPI_COMM_WORLD, &context);
  const std::int64_t after_ns = told.after_ns(death.died_ns());
  if (status != COMITY_ERR_PEER_LOST || context != nullptr) return comity_status_name(status);
  if (after_ns >= kTellWithin_ns) return "told only after " + std::to_string(after_ns / 1'000'000) + " ms";
  return std::strstr(comity_last_error(), "has ended") != nullptr ? "" : "the sentence does not say what has happened";
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<int> pids = pids_of_all(size);
  const int victim = size - 1;
  leave_barrier_last(MPI_COMM_WORLD, victim);
  if (rank == victim) ::raise(SIGKILL);
  ::usleep(static_cast<useconds_t>((victim - 1 - rank) * kApart_us));
  const std::string fault = fault_of_create(pids[static_cast<std::size_t>(victim)]);
  if (!fault.empty()) std::printf("FAIL: rank %d: %s: %s\n", rank, fault.c_str(), comity_last_error());
  end_as_survivor(rank, 1, fault.empty() ? 0 : 1);
}
