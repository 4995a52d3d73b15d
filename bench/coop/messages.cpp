// SPDX-License-Identifier: BSD-3-Clause
// What short waits cost: messages of two ranks, with a core for each, on one core, on two hosts.
#include "common/messages.hpp"

#include "common/futex_pair.hpp"
#include "common/together.hpp"
#include "coop/cases.hpp"

namespace bench::coop {
namespace {

constexpr int kMostRounds = 1000;  // there and back, in a loop whose ranks may share a core

// Of all ranks: a wait and nothing that is waited for.
void barrier(const Calls& /*mpi*/, int /*rank*/, int /*bytes*/) { MPI_Barrier(MPI_COMM_WORLD); }
constexpr Exchange kBarriers{&barrier, 2000, 1};

void halve(std::vector<double>& values) {
  for (double& value : values) value /= 2;
}

}  // namespace

Found messages(const World& world, const Arguments& /*arguments*/) {
  const Calls mpi = direct_calls();
  return {{repeat("latency_8B", mpi, world.rank, kPingPongs), repeat("bandwidth_1MiB", mpi, world.rank, kLargeWindows),
           repeat("rate_8B", mpi, world.rank, kWindows), repeat("allreduce_8B", mpi, world.rank, kAllreduces),
           repeat("barrier", mpi, world.rank, kBarriers)}};
}

Found oversubscribed_latency(const World& world, const Arguments& /*arguments*/) {
  Outcome outcome{"oversubscribed_latency", "ns", "a futex ping-pong of two processes", {}, {}};
  const Calls mpi = direct_calls();
  FutexPair pair(MPI_COMM_WORLD);
  std::uint32_t round = 0;
  alternate_together(
      outcome, kMostRounds, [&] { ping_pong(mpi, world.rank); }, [&] { pair.ping_pong(world.rank, round++); });
  halve(outcome.values);
  halve(outcome.references);
  return {{outcome}};
}

Found remote_latency(const World& world, const Arguments& /*arguments*/) {
  return {{repeat("remote_latency", direct_calls(), world.rank, {&ping_pong, kMostRounds, 2})}};
}

}  // namespace bench::coop
