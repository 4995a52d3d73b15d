// SPDX-License-Identifier: BSD-3-Clause
// The cases of `comity bench quo`. Collective over the world: ranks that have no part in a case rest meanwhile.
#pragma once

#include <mpi.h>

#include <comity/comity.hpp>

#include "common/timing.hpp"
#include "common/world.hpp"

namespace bench::quo {

// Calls of one rank; run on rank 0 with its OpenMP pool of two, while the others rest: they go where others would be at work.
[[nodiscard]] Outcome push_pop(comity::Context& context);
[[nodiscard]] Outcome push_pop_unbound(comity::Context& context);
[[nodiscard]] Halves push_and_pop_unbound(comity::Context& context);  // push_unbound, pop_unbound
[[nodiscard]] Outcome push_pop_wide(comity::Context& context);
[[nodiscard]] Outcome push_pop_nearest(comity::Context& context);
[[nodiscard]] Outcome query_peers_calls(comity::Context& context);  // no values where nothing can be traced

// Calls that each rank makes for itself, all at the same time as in QUOBench; the outcome is rank 0's.
[[nodiscard]] Outcome query_counts(const comity::Context& context);
[[nodiscard]] Outcome query_counts_in(const comity::Context& context);
[[nodiscard]] Outcome query_ranks(const comity::Context& context);
[[nodiscard]] Outcome query_version();
[[nodiscard]] Outcome query_bound(comity::Context& context, int own_core);
[[nodiscard]] Outcome query_cpuset(const comity::Context& context);
[[nodiscard]] Outcome query_binding_string(const comity::Context& context);
[[nodiscard]] Outcome query_peers(const comity::Context& context);
[[nodiscard]] Outcome distribute(const comity::Context& context);

// Calls that all ranks make together; the outcome is rank 0's.
[[nodiscard]] Outcome create_free(const World& world);         // while no other context is alive
[[nodiscard]] Outcome create_free_no_mt(const World& world);   // the same, of one that sees one PU a core
[[nodiscard]] Halves create_and_free(const World& world);      // create, free: each of the two by itself
[[nodiscard]] Outcome create_free_beside(const World& world);  // while another one is
[[nodiscard]] Outcome barrier(comity::Context& context, const World& world);
[[nodiscard]] Outcome wake(comity::Context& context, const World& world);
[[nodiscard]] Outcome communicator(const comity::Context& context);

// The first create of the process and what it makes the rank's memory grow; made before everything else, so it gives the
// context that the other cases use.
struct First {
  comity::Context context;
  Outcome create;  // the first create of this job, against bare MPI calls
  Outcome state;   // [KB] growth of PSS
  Outcome cold;  // [KB] the same with what the MPI had grown by before, at communicators and calls as those of a create
};
[[nodiscard]] First first_create(const World& world);

}  // namespace bench::quo
