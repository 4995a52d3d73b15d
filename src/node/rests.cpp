// SPDX-License-Identifier: BSD-3-Clause
// Who changes something tells it before it counts that, who looks has read the count before: so nobody sleeps over a change.
#include "node/node.hpp"
#include "os/threads/futex.hpp"

namespace comity::node {

void Node::tell_rest(bool rests) {
  record(me_).rests.store(rests ? 1 : 0, std::memory_order_relaxed);
  std::atomic<std::uint32_t>& changes = record(0).rest_changes;
  changes.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(changes);
}

bool Node::rests(int participant) const { return record(participant).rests.load(std::memory_order_relaxed) != 0; }

std::uint32_t Node::rest_changes() const { return record(0).rest_changes.load(std::memory_order_acquire); }

void Node::wait_for_rest_change(std::uint32_t seen) const {
  while (rest_changes() == seen) (void)os::futex_wait_until(record(0).rest_changes, seen, kNever);
}

}  // namespace comity::node
