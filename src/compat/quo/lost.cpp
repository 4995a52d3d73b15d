// SPDX-License-Identifier: BSD-3-Clause
// Who of my node has ended, for calls that do not meet the others. Not: a wait, which misses who does not come by itself.
#include <comity/bootstrap.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>
#include <vector>

#include "compat/quo/context.hpp"

namespace {

using Ranks = std::vector<int>;

// The ranks of a group by their numbers in MPI_COMM_WORLD; MPI_UNDEFINED: not of it.
Ranks in_world(MPI_Group some) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  MPI_Group_size(some, &size);
  Ranks own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  Ranks numbers(own.size());
  MPI_Group_translate_ranks(some, size, own.data(), world, numbers.data());
  MPI_Group_free(&world);
  return numbers;
}

// Ascending; none where nobody can tell.
std::vector<std::int32_t> launched() {
  std::int32_t count = 0;
  std::int32_t started = 0;
  if (comity_launched_ranks(nullptr, 0, &count, &started) != COMITY_OK) return {};
  std::vector<std::int32_t> living(static_cast<std::size_t>(count));
  if (comity_launched_ranks(living.data(), count, &count, &started) != COMITY_OK) return {};
  living.resize(static_cast<std::size_t>(count));
  return living;
}

// One that is nowhere may have been moved out of what the context knows of the node.
bool has_ended_one_of(MPI_Group here) {
  const std::vector<std::int32_t> living = launched();
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  if (!std::ranges::binary_search(living, own)) return false;  // the numbers are of another job
  return std::ranges::any_of(in_world(here), [&](int number) {
    return number != MPI_UNDEFINED && !std::ranges::binary_search(living, number);
  });
}

}  // namespace

bool comity::quo::has_lost_a_rank(QUO_context q) {
  if (q->has_lost) return true;
  std::int32_t there = 0;
  const comity_status status =
      comity_context_peers_in(q->context, COMITY_MACHINE, 0, COMITY_VIEW_LIVE, nullptr, 0, &there);
  if (status != COMITY_OK || there >= q->qids) return false;
  try {
    q->has_lost = has_ended_one_of(q->here);
  } catch (const std::bad_alloc&) {
    return false;  // who has no memory to look is told by the next wait
  }
  return q->has_lost;
}
