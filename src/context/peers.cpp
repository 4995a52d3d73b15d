// SPDX-License-Identifier: BSD-3-Clause
// Where the other ranks of the node are: by the table of the last meeting, or by a look at each.
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "context/context.hpp"

namespace comity::context {

std::vector<int> Context::peers_in(ObjectType type, int index, View view) const {
  const CpuSet object = machine().cpuset(type, index);
  std::unique_lock lock(mutex_, std::defer_lock);
  if (view == View::published) lock.lock();  // nobody waits for the kernel here
  std::vector<int> ranks;
  for (int rank = 0; rank < size(); ++rank) {
    if (touches(rank, object, view)) ranks.push_back(rank);
  }
  return ranks;
}

bool Context::touches(int rank, const CpuSet& object, View view) const {
  if (view == View::published) return views_.seen(masks_.mask(static_cast<std::size_t>(rank))).intersects(object);
  const std::optional<node::Sighting> seen = look_at(rank);
  return seen && views_.seen(seen->mask).intersects(object);
}

PeerBinding Context::peer_binding(int rank, View view) const {
  (void)everybody_->participant(rank);  // throws where there is no such rank
  if (view == View::published) {
    const std::lock_guard lock(mutex_);
    return {masks_.mask(static_cast<std::size_t>(rank)), ToldBy::table};
  }
  const std::optional<node::Sighting> seen = look_at(rank);
  if (!seen) {
    throw Error(Status::peer_lost, "look at the binding of rank " + std::to_string(rank) +
                                       ": it has ended; the table has what it told last (COMITY_VIEW_PUBLISHED)");
  }
  return {seen->mask, seen->word == node::WordOf::kernel ? ToldBy::kernel : ToldBy::rank};
}

// On a machine that is not this one nobody is where the kernel says.
std::optional<node::Sighting> Context::look_at(int rank) const {
  using node::Sighting;
  using node::WordOf;
  const int participant = everybody_->participant(rank);
  if (views_.complete().simulated()) return Sighting{node_->published_mask(participant), WordOf::participant};
  if (binding_of_ == BindingOf::main_thread) return node_->look_at(participant);
  if (rank == this->rank() && !node_->is_fork_child()) return Sighting{binding(), WordOf::kernel};
  return node_->look_at_threads(participant);
}

}  // namespace comity::context
