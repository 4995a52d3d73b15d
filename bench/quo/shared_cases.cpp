// SPDX-License-Identifier: BSD-3-Clause
#include <time.h>

#include <cmath>
#include <comity/comity_mpi.hpp>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "quo/cases.hpp"
#include "quo/futex_pair.hpp"

namespace bench::quo {
namespace {

using comity::Context;

constexpr double kCaseBudget_ns = 6e8;  // a case ends about then, however slow its calls are on crowded cores
constexpr int kFewestBatches = 5;

struct Size {
  int batches;
  int calls;
};

// As many calls as the budget allows, the same on all ranks.
template <typename Call, typename Reference>
Size agreed_size(Call&& call, Reference&& reference) {
  const double once_ns = time_loop(1, call) + time_loop(1, reference);
  Size size{kBatches, kLoop};
  if (once_ns * size.calls * size.batches > kCaseBudget_ns) {
    size.calls = std::max(1, static_cast<int>(kCaseBudget_ns / size.batches / once_ns));
    size.batches = std::clamp(static_cast<int>(kCaseBudget_ns / size.calls / once_ns), kFewestBatches, kBatches);
  }
  MPI_Bcast(&size, 2, MPI_INT, 0, MPI_COMM_WORLD);
  return size;
}

template <typename Call, typename Reference>
void alternate_together(Outcome& outcome, Call&& call, Reference&& reference) {
  const Size size = agreed_size(call, reference);
  alternate(outcome, size.batches, size.calls, call, reference);
}

void bare_communicators() {
  MPI_Comm twin = MPI_COMM_NULL, node = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split_type(twin, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_free(&node);
  MPI_Comm_free(&twin);
}

void make_and_free() { const Context context = comity::make_context(MPI_COMM_WORLD); }

// [KB] of this process, shared pages by their part.
double pss_kb() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    double value = 0;
    if (words >> key >> value && key == "Pss:") return value;
  }
  throw std::runtime_error("/proc/self/smaps_rollup has no Pss: a kernel of 4.14 or newer is needed");
}

void sleep_until_parked() {
  const timespec pause{0, 3'000'000};
  nanosleep(&pause, nullptr);
}

// One-way wake-ups from rank 0 to rank 1: [ns] from before `ring` on rank 0 to after `park` on rank 1, on rank 0.
template <typename Park, typename Ring>
double one_wake(int rank, Park&& park, Ring&& ring) {
  double rung_ns = 0;
  double woken_ns = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    park();
    woken_ns = now_ns();
    MPI_Send(&woken_ns, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  } else if (rank == 0) {
    sleep_until_parked();
    rung_ns = now_ns();
    ring();
    MPI_Recv(&woken_ns, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return woken_ns - rung_ns;
}

double ping_pong_ns(int rank) {
  FutexPair pair(MPI_COMM_WORLD);
  double round_ns = 0;
  if (rank < 2) {
    const double start_ns = now_ns();
    for (std::uint32_t round = 0; round < kLoop; ++round) {
      if (rank == 0) {
        pair.set_and_wake(2 * round + 1);
        pair.wait_while(2 * round + 1);
      } else {
        pair.wait_while(2 * round);
        pair.set_and_wake(2 * round + 2);
      }
    }
    round_ns = (now_ns() - start_ns) / kLoop;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return round_ns;
}

}  // namespace

Outcome create_free(const World&) {
  Outcome outcome{"create_free", "ns", "MPI_Comm_dup, MPI_Comm_split_type and their frees", {}, {}};
  alternate_together(outcome, make_and_free, bare_communicators);
  return outcome;
}

Outcome barrier(Context& context, const World& world) {
  Outcome outcome{"barrier", "ns", "MPI_Barrier", {}, {}};
  alternate_together(
      outcome, [&] { context.quiesce(); }, [] { MPI_Barrier(MPI_COMM_WORLD); });
  if (world.size > 1) outcome.extra.emplace_back("futex_ping_pong_ns", ping_pong_ns(world.rank));
  return outcome;
}

// Rank 1 parks, rank 0 comes last; the others are in neither group.
Outcome wake(Context& context, const World& world) {
  Outcome outcome{"wake", "ns", "a bare futex wake", {}, {}};
  const auto pair = context.split(world.rank < 2 ? 0 : -1);
  FutexPair bare(MPI_COMM_WORLD);
  for (std::uint32_t batch = 0; batch < kBatches; ++batch) {
    outcome.values.push_back(one_wake(
        world.rank, [&] { context.quiesce(*pair); }, [&] { context.quiesce(*pair); }));
    outcome.references.push_back(one_wake(
        world.rank, [&] { bare.wait_while(batch); }, [&] { bare.set_and_wake(batch + 1); }));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return outcome;
}

First first_create(const World& world) {
  Outcome create{"create_first", "ns", "MPI_Comm_dup, MPI_Comm_split_type and their frees", {}, {}};
  Outcome state{"state", "KB", "none", {}, {}};
  MPI_Barrier(MPI_COMM_WORLD);
  create.references.push_back(time_loop(1, bare_communicators));
  const double before_kb = pss_kb();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_ns = now_ns();
  Context context = comity::make_context(MPI_COMM_WORLD);
  create.values.push_back(now_ns() - start_ns);
  context.quiesce();  // all have the segment when it is divided among them
  const double grown_kb = pss_kb() - before_kb;
  std::vector<double> all(static_cast<std::size_t>(world.size));
  MPI_Gather(&grown_kb, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (world.rank == 0) {
    double sum_kb = 0;
    for (const double kb : all) sum_kb += kb;
    state.values = world.size > 1 ? std::vector<double>(all.begin() + 1, all.end()) : all;
    state.references.assign(state.values.size(), 1.0);
    state.extra = {{"first_rank_kb", all.front()}, {"node_kb", sum_kb}};
  }
  return {std::move(context), std::move(create), std::move(state)};
}

}  // namespace bench::quo
