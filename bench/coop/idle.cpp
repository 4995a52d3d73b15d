// SPDX-License-Identifier: BSD-3-Clause
// What a rank burns that waits 10 ms and more, alone on its core: processor time over time, in four calls; and for a message of
// another host, with how late it sees that.
#include <mpi.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "coop/cases.hpp"
#include "coop/wait_kind.hpp"

namespace bench::coop {
namespace {

constexpr int kWaits = 10;     // of each kind
constexpr int kFarWaits = 60;  // between hosts
constexpr int kReadyTag = 4;
constexpr double kShortest_ns = 1e7;
constexpr std::chrono::milliseconds kPause{15};

struct Spent {
  double cpu_ns = 0;
  double wall_ns = 0;

  [[nodiscard]] double share() const {
    if (wall_ns > 0) return cpu_ns / wall_ns;
    throw std::runtime_error("no wait took 10 ms: the machine is too crowded to tell what one burns");
  }
};

void wait_once(Spent& spent, const WaitKind& kind) {
  const double cpu_ns = process_cpu_ns();
  const double start_ns = now_ns();
  kind.wait();
  const double wall_ns = now_ns() - start_ns;
  if (wall_ns < kShortest_ns) return;
  spent.cpu_ns += process_cpu_ns() - cpu_ns;
  spent.wall_ns += wall_ns;
}

// Rank 0 must not begin to count before the others wait.
void tell_that_it_waits(const World& world) {
  int word = 0;
  if (world.rank > 0) MPI_Send(&word, 1, MPI_INT, 0, kReadyTag, MPI_COMM_WORLD);
  for (int rank = 1; world.rank == 0 && rank < world.size; ++rank) {
    MPI_Recv(&word, 1, MPI_INT, rank, kReadyTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Rank 0 lets the others wait; what rank 1 spends, on rank 0.
Spent spent_in(const WaitKind& kind, const World& world) {
  Spent spent;
  for (int i = -1; i < kWaits; ++i) {  // the first one makes what is made once
    Spent first;
    tell_that_it_waits(world);
    if (world.rank == 0) {
      std::this_thread::sleep_for(kPause);
      kind.release(world);
    } else {
      wait_once(i < 0 ? first : spent, kind);
    }
  }
  if (world.rank == 1) MPI_Send(&spent, sizeof spent, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  if (world.rank == 0) MPI_Recv(&spent, sizeof spent, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return spent;
}

// Of two hosts, the second half of the ranks, which is on the one that rank 0 is not on: its first.
int first_far_rank(const World& world) { return world.size / 2; }

// A message that comes after 15 ms: what its receiver spends meanwhile, and how long after it was sent the receive is over. The
// emulated hosts have one clock.
void wait_for_far(const World& world, Spent& spent, Outcome& late) {
  double sent_ns = 0;
  tell_that_it_waits(world);
  if (world.rank == 0) {
    std::this_thread::sleep_for(kPause);
    sent_ns = now_ns();
    for (int rank = 1; rank < world.size; ++rank) {
      MPI_Send(&sent_ns, 1, MPI_DOUBLE, rank, kReleaseTag, MPI_COMM_WORLD);
    }
    return;
  }
  const double cpu_ns = process_cpu_ns();
  const double start_ns = now_ns();
  MPI_Recv(&sent_ns, 1, MPI_DOUBLE, 0, kReleaseTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double end_ns = now_ns();
  if (end_ns - start_ns < kShortest_ns) return;
  spent.cpu_ns += process_cpu_ns() - cpu_ns;
  spent.wall_ns += end_ns - start_ns;
  late.values.push_back(end_ns - sent_ns);
}

// On rank 0, of the ranks of the other host: what all of them use of a processor together, and how late the first of them was.
double share_on_rank_0(const World& world, const Spent& spent) {
  const double mine = world.rank < first_far_rank(world) ? 0 : spent.share();
  double all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

void tell_rank_0(const World& world, std::vector<double>& values) {
  const int who = first_far_rank(world);
  int count = static_cast<int>(values.size());
  if (world.rank == who) {
    MPI_Send(&count, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(values.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  } else if (world.rank == 0) {
    MPI_Recv(&count, 1, MPI_INT, who, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    values.resize(static_cast<std::size_t>(count));
    MPI_Recv(values.data(), count, MPI_DOUBLE, who, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace

Found remote_wait(const World& world, const Arguments& /*arguments*/) {
  const std::string how_many = world.size == 2 ? "" : "_" + std::to_string(world.size / 2);  // wait on one host
  Outcome burnt{"remote_wait_cpu" + how_many, "cores", "bare MPI", {}, {}};
  Outcome late{"remote_wait_late" + how_many, "ns", "bare MPI", {}, {}};
  Spent spent;
  Spent first;
  Outcome ignored{};
  wait_for_far(world, first, ignored);  // it makes what is made once
  for (int i = 0; i < kFarWaits; ++i) wait_for_far(world, spent, late);
  tell_rank_0(world, late.values);
  burnt.values.push_back(share_on_rank_0(world, spent));
  return {{burnt, late}};
}

Found idle(const World& world, const Arguments& /*arguments*/) {
  Outcome outcome{"idle_cpu", "cores", "bare MPI", {}, {}};
  Spent all;
  for (const WaitKind& kind : kWaitKinds) {
    const Spent spent = spent_in(kind, world);
    if (world.rank > 0) continue;
    outcome.extra.emplace_back(std::string(kind.name) + "_percent", 100 * spent.share());
    all.cpu_ns += spent.cpu_ns;
    all.wall_ns += spent.wall_ns;
  }
  if (world.rank == 0) outcome.values.push_back(all.share());
  return {{outcome}};
}

}  // namespace bench::coop
