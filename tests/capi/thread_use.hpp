// SPDX-License-Identifier: BSD-3-Clause
// What one thread does with a context of its own while others of its process do the same: queries, rests, pushes, a
// distribution, a group. Forked ranks and MPI ranks use it.
#pragma once

#include <comity/comity.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace comity::testing {

// Over the ranks of the context.
using Sum = std::function<std::int64_t(std::int64_t)>;

// The stack is the process's: an entry is popped once those that other threads pushed later are gone.
inline void pop_in_turn(Context& context) {
  while (true) {
    const comity_status status = comity_context_pop(context.handle());
    if (status != COMITY_ERR_ORDER) return check(status);
    std::this_thread::yield();
  }
}

// What is wrong; "" if nothing.
inline std::string use_once(Context& context, int rank, int size, const Sum& sum) {
  if (context.rank() != rank || context.size() != size) return "rank or size";
  context.quiesce();
  context.push(Resource::core, rank % context.count(Resource::core));
  if (context.depth() != 1) return "depth after a push: " + std::to_string(context.depth());
  context.quiesce();
  const Distribution mine = context.distribute(Resource::core, 1);
  if (sum(mine.selected ? 1 : 0) != sum(mine.selected_count) / size) return "ranks differ on who is selected";
  int seen = 0;
  for (int core = 0; core < context.count(Resource::core); ++core) {
    seen += static_cast<int>(context.peers_in(Resource::core, core).size());
    (void)context.peers_in(Resource::core, core, View::live);
    (void)context.peer_binding(0, View::published);
  }
  if (seen < size) return "a rank is on no core";
  pop_in_turn(context);
  if (context.depth() != 0) return "depth after the pop: " + std::to_string(context.depth());
  const std::optional<Group> half = context.split(rank % 2);
  if (!half || half->size() != (size + 1 - rank % 2) / 2) return "size of the half";
  context.quiesce(*half);
  return {};
}

}  // namespace comity::testing
