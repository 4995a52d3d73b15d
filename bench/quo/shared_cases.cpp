// SPDX-License-Identifier: BSD-3-Clause
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <comity/comity_mpi.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "common/futex_pair.hpp"
#include "common/together.hpp"
#include "quo/cases.hpp"
#include "quo/memory.hpp"

namespace bench::quo {
namespace {

using comity::Context;

struct BareCommunicators {
  BareCommunicators() {
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split_type(twin, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  }
  BareCommunicators(const BareCommunicators&) = delete;
  BareCommunicators& operator=(const BareCommunicators&) = delete;
  ~BareCommunicators() {
    MPI_Comm_free(&node);
    MPI_Comm_free(&twin);
  }

  MPI_Comm twin = MPI_COMM_NULL, node = MPI_COMM_NULL;
};

void make_and_free_bare() { const BareCommunicators made; }

void make_and_free() { const Context context = comity::make_context(MPI_COMM_WORLD); }

void make_without_smt_and_free() {
  Context context = comity::make_context(MPI_COMM_WORLD);
  context.set_smt(comity::Smt::one);
}

void sleep_until_parked() {
  const timespec pause{0, 3'000'000};
  nanosleep(&pause, nullptr);
}

// One-way wake-ups from rank 0 to rank 1: [ns] from before `ring` on rank 0 to after `park` on rank 1, on rank 0. Of these two.
template <typename Park, typename Ring>
double one_wake(int rank, Park&& park, Ring&& ring) {
  double rung_ns = 0;
  double woken_ns = 0;
  const int other = 1 - rank;
  MPI_Sendrecv(nullptr, 0, MPI_DOUBLE, other, 0, nullptr, 0, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) {
    park();
    woken_ns = now_ns();
    MPI_Send(&woken_ns, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  } else {
    sleep_until_parked();
    rung_ns = now_ns();
    ring();
    MPI_Recv(&woken_ns, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return woken_ns - rung_ns;
}

// The median of as many loops as a case has.
double ping_pong_ns(int rank) {
  FutexPair pair(MPI_COMM_WORLD);
  std::vector<double> rounds_ns;
  for (std::uint32_t batch = 0; rank < 2 && batch < kBatches; ++batch) {
    std::uint32_t round = batch * kLoop;
    rounds_ns.push_back(time_loop(kLoop, [&] { pair.ping_pong(rank, round++); }));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rounds_ns.empty()) return 0;
  return median(std::move(rounds_ns));
}

Outcome later_create(const char* name, void (*create)()) {
  Outcome outcome{name, "ns", "MPI_Comm_dup, MPI_Comm_split_type and their frees", {}, {}};
  alternate_together(outcome, kLoop, create, make_and_free_bare);
  return outcome;
}

}  // namespace

Outcome create_free(const World&) { return later_create("create_free", make_and_free); }

Outcome create_free_no_mt(const World&) { return later_create("create_free_no_mt", make_without_smt_and_free); }

// The ranks come from a create, where they have met, to each free, and to a create each when its free has ended.
Halves create_and_free(const World&) {
  Halves halves{{"create", "ns", "MPI_Comm_dup and MPI_Comm_split_type", {}, {}},
                {"free", "ns", "the frees of what MPI_Comm_dup and MPI_Comm_split_type made", {}, {}}};
  std::optional<Context> context;
  std::optional<BareCommunicators> bare;
  const int calls = agreed_calls(kLoop, make_and_free);
  repeat_on_all([&] {
    const HalfTimes time = time_settled_halves(
        calls, [&] { context.emplace(comity::make_context(MPI_COMM_WORLD)); }, [&] { context.reset(); });
    const HalfTimes reference = time_settled_halves(
        calls, [&] { bare.emplace(); }, [&] { bare.reset(); });
    halves.add(time, reference);
  });
  return halves;
}

Outcome create_free_beside(const World&) { return later_create("create_free_beside", make_and_free); }

Outcome barrier(Context& context, const World& world) {
  Outcome outcome{"barrier", "ns", "MPI_Barrier or a futex ping-pong, the cheaper", {}, {}};
  alternate_together(
      outcome, kLoop, [&] { context.quiesce(); }, [] { MPI_Barrier(MPI_COMM_WORLD); });
  if (world.size == 1) return outcome;
  const double bare_ns = ping_pong_ns(world.rank);
  outcome.extra.emplace_back("futex_ping_pong_ns", bare_ns);
  for (double& reference : outcome.references) reference = std::min(reference, bare_ns);
  return outcome;
}

// Of the ranks that share the machine: all of them, on one node.
Outcome communicator(const Context& context) {
  Outcome outcome{"communicator", "ns", "MPI_Comm_dup and its free", {}, {}};
  const auto free = [](MPI_Comm made) { MPI_Comm_free(&made); };
  alternate_together(
      outcome, kLoop, [&] { free(comity::shared_communicator(context, MPI_COMM_WORLD, comity::Resource::machine)); },
      [&] {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        free(copy);
      });
  return outcome;
}

// Rank 1 parks, rank 0 comes last; the others rest meanwhile, and leave the two their cores.
Outcome wake(Context& context, const World& world) {
  Outcome outcome{"wake", "ns", "a bare futex wake", {}, {}};
  const auto pair = context.split(world.rank < 2 ? 0 : -1);
  FutexPair bare(MPI_COMM_WORLD);
  for (std::uint32_t batch = 0; world.rank < 2 && batch < kBatches; ++batch) {
    outcome.values.push_back(one_wake(
        world.rank, [&] { context.quiesce(*pair); }, [&] { context.quiesce(*pair); }));
    outcome.references.push_back(one_wake(
        world.rank, [&] { bare.wait_while(batch); }, [&] { bare.set_and_wake(batch + 1); }));
  }
  context.quiesce();
  return outcome;
}

namespace {

// A program's first exchanges make the MPI grow its pools of requests and messages, once; that is not of the create.
void exchange_as_programs_do(const World& world) {
  constexpr int kExchanges = 20;
  constexpr int kFields = 8;  // on their way at once
  const auto ranks = static_cast<std::size_t>(world.size);
  std::vector<int> mine(ranks);
  std::vector<int> theirs(ranks * kFields);
  for (int i = 0; i < kExchanges; ++i) {
    std::array<MPI_Request, kFields> requests;
    for (std::size_t field = 0; field < kFields; ++field) {
      MPI_Ialltoall(mine.data(), 1, MPI_INT, theirs.data() + field * ranks, 1, MPI_INT, MPI_COMM_WORLD,
                    &requests[field]);
    }
    MPI_Waitall(kFields, requests.data(), MPI_STATUSES_IGNORE);
  }
}

// And its first few communicators make it grow its pool of those, once (MPICH with the ninth, its own included: 144 KB). A
// coupled program has some of its own, two libraries at least; what the pool costs is told beside.
void make_communicators_as_programs_do() {
  const BareCommunicators one;
  const BareCommunicators other;
}

// The calls of MPI that a first create makes and not every program has made by then, those that wait for nobody: what the MPI
// touches when they come for the first time (its code, its tables) is told beside the create's own.
void call_as_a_create_does() {
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &twin, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  std::int64_t mine = 0;
  std::int64_t largest = 0;
  MPI_Iallreduce(&mine, &largest, 1, MPI_INT64_T, MPI_MAX, twin, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(twin, &rank);
  MPI_Comm_size(twin, &size);
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(&largest, 1, MPI_INT64_T, (rank + 1) % size, 0, twin, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT64_T, (rank + size - 1) % size, 0, twin, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Comm_free(&twin);
}

// [KB] by which all ranks together grow while they do something: a page that several have counts once. On rank 0; collective.
template <typename Calls>
double growth_of(Calls&& calls) {
  const double before_kb = memory_kb();
  MPI_Barrier(MPI_COMM_WORLD);  // nobody's new pages change what another one counts as there before
  calls();
  MPI_Barrier(MPI_COMM_WORLD);
  const double grown_kb = memory_kb() - before_kb;
  double all_kb = 0;
  MPI_Reduce(&grown_kb, &all_kb, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return all_kb;
}

double time_bare_create() {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_ns = now_ns();
  const BareCommunicators made;
  return now_ns() - start_ns;
}

// In every other launch or so: whoever comes second finds warm caches.
bool bare_comes_first() {
  int coin = static_cast<int>(getpid()) % 2;
  MPI_Bcast(&coin, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return coin == 0;
}

}  // namespace

First first_create(const World& world) {
  Outcome create{"create_first", "ns", "MPI_Comm_dup and MPI_Comm_split_type", {}, {}};
  Outcome state{"state", "KB", "", {}, {}};
  Outcome cold{"state_cold", "KB", "", {}, {}};
  exchange_as_programs_do(world);
  (void)growth_of([] {});  // what looking itself needs is there before it counts
  const double pools_kb = growth_of(make_communicators_as_programs_do);
  const double first_calls_kb = growth_of(call_as_a_create_does);
  const bool bare_first = bare_comes_first();
  if (bare_first) create.references.push_back(time_bare_create());
  std::optional<Context> context;
  const double own_before_kb = own_memory_kb();
  const double growth_kb = growth_of([&] {
    const double start_ns = now_ns();
    context.emplace(comity::make_context(MPI_COMM_WORLD));
    create.values.push_back(now_ns() - start_ns);
    context->quiesce();  // all have the segment when it is divided among them
  });
  if (world.rank == 0) {
    state.values.push_back(growth_kb);
    state.references.push_back(1.0);
    state.extra = {{"mpi_pools_kb", pools_kb},
                   {"mpi_first_calls_kb", first_calls_kb},
                   {"first_rank_own_kb", own_memory_kb() - own_before_kb}};
    cold.values.push_back(pools_kb + first_calls_kb + growth_kb);
    cold.references.push_back(1.0);
  }
  if (!bare_first) create.references.push_back(time_bare_create());
  return {std::move(*context), std::move(create), std::move(state), std::move(cold)};
}

}  // namespace bench::quo
