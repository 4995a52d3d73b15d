// SPDX-License-Identifier: BSD-3-Clause
// What short waits cost: messages of two ranks, with a core for each, on one core, on two hosts.
#include "common/messages.hpp"

#include "common/futex_pair.hpp"
#include "common/together.hpp"
#include "coop/cases.hpp"

namespace bench::coop {
namespace {

constexpr int kMostRounds = 1000;  // there and back, in a loop whose ranks may share a core

template <typename Batch>
Outcome batches(const std::string& name, const World& world, Batch&& batch) {
  Outcome outcome{name, "ns", "bare MPI", {}, {}};
  const Calls mpi = direct_calls();
  (void)batch(mpi, world.rank);
  const double start_ns = now_ns();
  int loops = 0;
  do {
    outcome.values.push_back(batch(mpi, world.rank));
  } while (all_go_on(++loops, start_ns));
  return outcome;
}

void halve(std::vector<double>& values) {
  for (double& value : values) value /= 2;
}

}  // namespace

Found messages(const World& world, const Arguments& /*arguments*/) {
  return {{batches("latency_8B", world, latency_ns), batches("bandwidth_1MiB", world, large_message_ns),
           batches("rate_8B", world, message_ns), batches("allreduce_8B", world, allreduce_ns)}};
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
  Outcome outcome{"remote_latency", "ns", "bare MPI", {}, {}};
  const Calls mpi = direct_calls();
  repeat_together(outcome, kMostRounds, [&] { ping_pong(mpi, world.rank); });
  halve(outcome.values);
  return {{outcome}};
}

}  // namespace bench::coop
