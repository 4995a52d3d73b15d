// SPDX-License-Identifier: BSD-3-Clause
// Collectives go to the library as they are, once those of this node have come that a rank may wait for, or as their nonblocking
// form where a wait in the library would spin. Nonblocking ones ring, for some library steps of theirs are taken by whoever waits.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>

#include "base/log.hpp"
#include "coop/calls/end_of_self.hpp"
#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"
#include "coop/calls/started_collectives.hpp"
#include "coop/library/progress.hpp"
#include "interpose/handles.hpp"
#include "interpose/requests/type_size.hpp"

namespace comity::coop {
namespace {

void tell_sleeps() {
  Cooperation* const here = log::enabled(log::Level::debug) ? at_work() : nullptr;
  if (here == nullptr) return;
  int rank = 0;
  real::MPI_Comm_rank(interpose::handles().world, &rank);
  const SleepEnds& ends = here->peers.sleep_ends();
  const SleepEnds& naps = here->peers.naps();
  log::debug("coop", "waits of a rank that slept ended rank=" + std::to_string(rank) +
                         " rung=" + std::to_string(ends.by(node::WokenBy::ring)) +
                         " unrung=" + std::to_string(ends.by(node::WokenBy::clock)) + " naps_rung=" +
                         std::to_string(naps.by(node::WokenBy::ring)) + " posted=" + std::to_string(posted_calls()));
}

// What else is over with the job: those who end early sleep where MPI_COMM_SELF ends, the rest inside.
int finalize() {
  int code = MPI_SUCCESS;
  {
    tell_sleeps();
    [[maybe_unused]] const LibraryWait waits;
    if (!self_tells_its_end()) meet_at_the_end();
    end_progress();
    code = real::MPI_Finalize();
  }
  if (Cooperation* const here = at_work(); here != nullptr) here->peers.long_waits().end();
  cooperation.store(nullptr, std::memory_order_release);
  return code;
}

// Where all ranks have met the library's barrier has nothing left to do, and would wake each of them for each of its steps. But each step makes
// it go on at its begin and at its end: programs look for messages behind it that were sent before it.
int end_of_barrier(const Meeting& meeting) {
  Cooperation* const here = at_work();
  if (here == nullptr) return MPI_SUCCESS;
  for (unsigned left = static_cast<unsigned>(meeting.size()) - 1; left > 0; left /= 2) {
    here->progress();
    here->progress();
  }
  return MPI_SUCCESS;
}
int start_barrier(Cooperation& here, MPI_Comm communicator) {
  return learn_behind(communicator, start_and_wait<real::MPI_Ibarrier>(here, communicator));
}
int barrier(MPI_Comm communicator) {
  const Way way = way_of(communicator, Starts::between_nodes, Whom::everybody());
  if (way.code != MPI_SUCCESS) return way.code;
  if (way.starts != nullptr) return start_barrier(*way.starts, communicator);
  Meeting* const meeting = meet(key_of(communicator), Whom::everybody());
  if (meeting != nullptr && meeting->is_whole()) return end_of_barrier(*meeting);
  const int code = call_collective<real::MPI_Barrier>(meeting, communicator);
  return meeting == nullptr ? learn_behind(communicator, code) : code;
}
int barrier_from_inside(MPI_Comm communicator) {
  if (interpose::inner_call_is_the_mpis()) return real::MPI_Barrier(communicator);
  const Way way = way_of(communicator, Starts::between_nodes, Whom::everybody());
  if (way.code != MPI_SUCCESS) return way.code;
  if (way.starts != nullptr) return start_barrier(*way.starts, communicator);
  const std::uint64_t key = key_of(communicator);
  Meeting* const meeting = find_from_inside(key);
  if (meeting != nullptr && meeting->is_whole() && meet(key, Whom::everybody()) != nullptr) {
    return end_of_barrier(*meeting);
  }
  return learn_behind(communicator,
                      call_from_inside<real::MPI_Barrier>(come_from_inside(key, Whom::everybody()), communicator));
}

// Whom a call waits for, by the places of its count or counts, its type, and its root, among its arguments. Nobody needs anybody for elements
// without bytes. Of what one rank gets so the others give as many bytes, so that all answer alike, whatever their counts and types.
template <std::size_t kType>
bool has_bytes(const auto& arguments) {
  const MPI_Datatype type = std::get<kType>(arguments);
  return type == interpose::handles().no_type || interpose::size_of(type) != 0;  // the library refuses that one
}
template <std::size_t kCount>
constexpr auto kAll = [](const auto& arguments) {
  const auto count = std::get<kCount>(arguments);
  return count <= 0 || has_bytes<kCount + 1>(arguments) ? Whom::everybody_for(count) : Whom::nobody_at_all();
};
template <std::size_t kCounts, std::size_t kType>
constexpr auto kAllIfAllGive = [](const auto& arguments) {
  return has_bytes<kType>(arguments) ? Whom::everybody_if_all_give(std::get<kCounts>(arguments)) : Whom::nobody();
};
// The buffer comes before its count. Who gives neither, of two groups, or a root that keeps what it has, may name anything for a type.
template <std::size_t kCount, std::size_t kRoot>
constexpr auto kTheRoot = [](const auto& arguments) {
  const auto count = std::get<kCount>(arguments);
  const bool gets = count > 0 && std::get<kRoot>(arguments) >= 0 && std::get<kCount - 1>(arguments) != MPI_IN_PLACE;
  return gets && !has_bytes<kCount + 1>(arguments) ? Whom::nobody() : Whom::root_for(count, std::get<kRoot>(arguments));
};
// The root gives as much as each other rank gets.
constexpr auto kTheRootOfAll = [](const auto& arguments) {
  const Whom whom = kTheRoot<1, 3>(arguments);
  return whom.kind() == Whom::Kind::nobody ? Whom::nobody_at_all() : whom;
};
// A grid without dimensions, or a graph without nodes, is made of one rank at the most; some libraries' ranks wait for nobody there.
constexpr auto kUnlessEmpty = [](const auto& arguments) {
  return std::get<1>(arguments) == 0 ? Whom::uncounted() : Whom::everybody();
};
// So do those of a grid's parts without dimensions.
constexpr auto kUnlessAlone = [](const auto& arguments) {
  const auto& [communicator, remain, made] = arguments;
  int topology = MPI_UNDEFINED, dimensions = 0;
  if (communicator == interpose::handles().no_communicator || remain == nullptr)
    return Whom::everybody();  // which the library refuses
  if (real::MPI_Topo_test(communicator, &topology) != MPI_SUCCESS || topology != MPI_CART) return Whom::everybody();
  if (real::MPI_Cartdim_get(communicator, &dimensions) != MPI_SUCCESS) return Whom::everybody();
  const bool some_remain = std::any_of(remain, remain + dimensions, [](int one) { return one != 0; });
  return some_remain ? Whom::everybody() : Whom::uncounted();
};

#define COMITY_MEET(name, start, when, ...) \
  COMITY_ALSO_INSIDE(name, MeetsOrStartsLast<real::name, real::start, Starts::when, __VA_ARGS__>)
#define COMITY_MAKE(name) COMITY_MAKE_FOR(name, kEverybody)
#define COMITY_MAKE_FOR(name, whom) COMITY_ALSO_INSIDE(name, Meets<real::name, whom, 0>)
#define COMITY_TWIN(name, start) \
  COMITY_ALSO_INSIDE(name, MeetsOrStarts<real::name, real::start, Starts::between_nodes, kEverybody, 0>)
#define COMITY_END(name) COMITY_ALSO_INSIDE(name, Ends<real::name, AtTheEnd::part>)
#if MPI_VERSION >= 4  // a function and the one with large counts
#define COMITY_MEET_BOTH(name, start, ...) \
  COMITY_MEET(name, start, __VA_ARGS__), COMITY_MEET(name##_c, start##_c, __VA_ARGS__)
#else
#define COMITY_MEET_BOTH(name, start, ...) COMITY_MEET(name, start, __VA_ARGS__)
#endif

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
    COMITY_MEET_BOTH(MPI_Allgather, MPI_Iallgather, between_nodes, kAll<4>, 4),
        COMITY_MEET_BOTH(MPI_Allgatherv, MPI_Iallgatherv, always, (kAllIfAllGive<4, 6>)),
        COMITY_MEET_BOTH(MPI_Allreduce, MPI_Iallreduce, between_nodes, kAll<2>, 2),
        COMITY_MEET_BOTH(MPI_Alltoall, MPI_Ialltoall, between_nodes, kAll<4>, 4),
        COMITY_MEET_BOTH(MPI_Alltoallv, MPI_Ialltoallv, always, kUncounted),
        COMITY_MEET_BOTH(MPI_Alltoallw, MPI_Ialltoallw, always, kUncounted),
        named("MPI_Barrier", barrier, barrier_from_inside),
        COMITY_MEET_BOTH(MPI_Bcast, MPI_Ibcast, always, kTheRootOfAll, 1, 3),
        COMITY_MEET_BOTH(MPI_Exscan, MPI_Iexscan, always, kUncounted, 2),
        COMITY_MEET_BOTH(MPI_Gather, MPI_Igather, always, kUncounted, 1),
        COMITY_MEET_BOTH(MPI_Gatherv, MPI_Igatherv, always, kUncounted, 1),
        COMITY_MEET_BOTH(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, always, kUncounted, 1),
        COMITY_MEET_BOTH(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, always, kUncounted),
        COMITY_MEET_BOTH(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, always, kUncounted, 1),
        COMITY_MEET_BOTH(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, always, kUncounted),
        COMITY_MEET_BOTH(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, always, kUncounted),
        COMITY_MEET_BOTH(MPI_Reduce, MPI_Ireduce, always, kUncounted, 2),
        COMITY_MEET_BOTH(MPI_Reduce_scatter, MPI_Ireduce_scatter, always, (kAllIfAllGive<2, 3>)),
        COMITY_MEET_BOTH(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, between_nodes, kAll<2>, 2),
        COMITY_MEET_BOTH(MPI_Scan, MPI_Iscan, always, kUncounted, 2),
        COMITY_MEET_BOTH(MPI_Scatter, MPI_Iscatter, always, kTheRoot<4, 6>, 4, 6),
        COMITY_MEET_BOTH(MPI_Scatterv, MPI_Iscatterv, always, kTheRoot<5, 7>, 5, 7),
        COMITY_MAKE_FOR(MPI_Cart_create, kUnlessEmpty), COMITY_MAKE_FOR(MPI_Cart_sub, kUnlessAlone),
        COMITY_MAKE(MPI_Comm_create), COMITY_TWIN(MPI_Comm_dup, MPI_Comm_idup),
#if MPI_VERSION >= 4
        COMITY_TWIN(MPI_Comm_dup_with_info, MPI_Comm_idup_with_info),
#else
        COMITY_MAKE(MPI_Comm_dup_with_info),
#endif
        COMITY_MAKE(MPI_Comm_split), COMITY_MAKE(MPI_Comm_split_type), COMITY_MAKE(MPI_Dist_graph_create),
        COMITY_MAKE(MPI_Dist_graph_create_adjacent), COMITY_MAKE_FOR(MPI_Graph_create, kUnlessEmpty),
        // Its groups wait for one another, and it may refuse what they are when some of their ranks have waited already.
        COMITY_MAKE_FOR(MPI_Intercomm_create, kUncounted), COMITY_MAKE(MPI_Intercomm_merge),
        COMITY_BOTH(COMITY_STARTED, MPI_Iallgather), COMITY_BOTH(COMITY_STARTED, MPI_Iallgatherv),
        COMITY_BOTH(COMITY_STARTED, MPI_Iallreduce), COMITY_BOTH(COMITY_STARTED, MPI_Ialltoall),
        COMITY_BOTH(COMITY_STARTED, MPI_Ialltoallv), COMITY_BOTH(COMITY_STARTED, MPI_Ialltoallw),
        COMITY_STARTED(MPI_Ibarrier), COMITY_BOTH(COMITY_STARTED, MPI_Ibcast), COMITY_BOTH(COMITY_STARTED, MPI_Iexscan),
        COMITY_BOTH(COMITY_STARTED, MPI_Igather), COMITY_BOTH(COMITY_STARTED, MPI_Igatherv),
        COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_allgather), COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_allgatherv),
        COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_alltoall), COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_alltoallv),
        COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_alltoallw), COMITY_BOTH(COMITY_STARTED, MPI_Ireduce),
        COMITY_BOTH(COMITY_STARTED, MPI_Ireduce_scatter), COMITY_BOTH(COMITY_STARTED, MPI_Ireduce_scatter_block),
        COMITY_BOTH(COMITY_STARTED, MPI_Iscan), COMITY_BOTH(COMITY_STARTED, MPI_Iscatter),
        COMITY_BOTH(COMITY_STARTED, MPI_Iscatterv), COMITY_STARTED(MPI_Comm_idup),
#if MPI_VERSION >= 4
        COMITY_STARTED(MPI_Comm_idup_with_info),
#endif
        named("MPI_Finalize", finalize), COMITY_END(MPI_Comm_free), COMITY_END(MPI_Comm_disconnect),
  });
  return all;
}

#undef COMITY_MEET
#undef COMITY_MEET_BOTH
#undef COMITY_MAKE
#undef COMITY_TWIN
#undef COMITY_MAKE_FOR
#undef COMITY_END

}  // namespace

Replaced replacement_of_collective(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
