// SPDX-License-Identifier: BSD-3-Clause
#include <time.h>

#include <algorithm>
#include <comity/comity_mpi.hpp>
#include <vector>

#include "quo/cases.hpp"
#include "quo/futex_pair.hpp"
#include "quo/memory.hpp"

namespace bench::quo {
namespace {

using comity::Context;

constexpr double kLoopBudget_ns = 1e8;  // a loop ends about then, however slow its calls are on crowded cores
constexpr double kLookBudget_ns = 5e8;  // for the loop that tells how long calls take
constexpr double kCaseBudget_ns = 1.2e9;
constexpr int kFewestBatches = 5;

// [calls] The same on all ranks. Short loops look slower than calls are: the ranks that leave a loop first spin in the MPI
// call that comes next, against those that are still in it. So a short look decides only whether there is time for a longer.
template <typename Call>
int agreed_calls(Call&& call) {
  int calls = 3;
  for (const double budget_ns : {kLookBudget_ns, kLoopBudget_ns}) {
    const double once_ns = time_loop(calls, call);
    calls = std::clamp(static_cast<int>(budget_ns / once_ns), 3, kLoop);
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return calls;
}

template <typename Call, typename Reference>
void alternate_together(Outcome& outcome, Call&& call, Reference&& reference) {
  const int calls = agreed_calls(call);
  const int reference_calls = agreed_calls(reference);
  const double start_ns = now_ns();
  int goes_on = 1;
  for (int batch = 0; batch < kBatches && goes_on != 0; ++batch) {
    outcome.values.push_back(time_loop(calls, call));
    outcome.references.push_back(time_loop(reference_calls, reference));
    goes_on = batch + 1 < kFewestBatches || now_ns() - start_ns < kCaseBudget_ns ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

void bare_communicators() {
  MPI_Comm twin = MPI_COMM_NULL, node = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split_type(twin, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_free(&node);
  MPI_Comm_free(&twin);
}

void make_and_free() { const Context context = comity::make_context(MPI_COMM_WORLD); }

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

namespace {

// A program's first exchanges make the MPI grow its pools of requests and messages, once; that is not of the create.
void exchange_as_programs_do(const World& world) {
  constexpr int kExchanges = 20;
  const auto ranks = static_cast<std::size_t>(world.size);
  std::vector<int> mine(ranks), theirs(ranks), all(ranks);
  for (int i = 0; i < kExchanges; ++i) {
    MPI_Request requests[2];
    MPI_Ialltoall(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather(mine.data(), 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// Of all ranks. The first one stands apart: it reads the topology for the others, and the code that they all run counts
// once a node, with it.
void add_growth(Outcome& state, const std::vector<Memory>& all) {
  double node_kb = 0.0, code_kb = 0.0;
  for (const Memory& rank : all) node_kb += rank.all_kb();
  for (std::size_t rank = all.size() > 1 ? 1 : 0; rank < all.size(); ++rank) {
    state.values.push_back(std::max(all[rank].data_kb, 1.0));  // pages that others came to share can make it shrink
    state.references.push_back(1.0);
    code_kb = std::max(code_kb, all[rank].code_kb);
  }
  state.extra = {{"first_rank_kb", all.front().all_kb()}, {"node_kb", node_kb}, {"code_kb", code_kb}};
}

}  // namespace

First first_create(const World& world) {
  Outcome create{"create_first", "ns", "MPI_Comm_dup, MPI_Comm_split_type and their frees", {}, {}};
  Outcome state{"state", "KB", "none", {}, {}};
  exchange_as_programs_do(world);
  create.references.push_back(time_loop(1, bare_communicators));
  (void)memory_now();  // what looking itself needs is there before it counts
  const Memory before = memory_now();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_ns = now_ns();
  Context context = comity::make_context(MPI_COMM_WORLD);
  create.values.push_back(now_ns() - start_ns);
  context.quiesce();  // all have the segment when it is divided among them
  const Memory grown = memory_now() - before;
  std::vector<Memory> all(static_cast<std::size_t>(world.size));
  MPI_Gather(&grown, sizeof grown, MPI_BYTE, all.data(), sizeof grown, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (world.rank == 0) add_growth(state, all);
  return {std::move(context), std::move(create), std::move(state)};
}

}  // namespace bench::quo
