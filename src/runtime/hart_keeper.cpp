// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hart_keeper.hpp"

#include <algorithm>

namespace comity::runtime {

HartKeeper::~HartKeeper() {
  for (Followed& followed : followed_) update(followed, CpuSet());
}

void HartKeeper::follow(const std::shared_ptr<node::Node>& node, const CpuSet& pushed, const CpuSet& binding) {
  const auto same = [&](const Followed& followed) { return followed.node == node; };
  if (std::any_of(followed_.begin(), followed_.end(), same)) return;
  followed_.push_back({node, {}, {}});
  node->publish_mask(binding);
  update(followed_.back(), pushed);
}

void HartKeeper::binding_changed(const CpuSet& pushed, const CpuSet& binding) noexcept {
  for (Followed& followed : followed_) {
    followed.node->publish_mask(binding);
    update(followed, pushed);
  }
}

void HartKeeper::update(Followed& followed, const CpuSet& pushed) {
  if (followed.node->is_fork_child()) return;  // the harts are the parent's
  node::HartTable& harts = followed.node->harts();
  const int me = followed.node->participant();
  const auto known = [&](std::size_t hart) { return hart < harts.hart_count(); };

  (followed.taken - pushed).for_each([&](std::size_t hart) { harts.give_back(hart, me); });
  (followed.asked - pushed).for_each([&](std::size_t hart) { harts.withdraw(hart); });
  followed.taken &= pushed;
  followed.asked &= pushed;
  (pushed - followed.taken - followed.asked).for_each([&](std::size_t hart) {
    if (!known(hart) || harts.word(hart).owner() == me) return;
    const bool taken = harts.hold(hart, me) == node::HoldResult::taken;
    (taken ? followed.taken : followed.asked).insert(hart);
  });
}

std::vector<std::shared_ptr<node::Node>> HartKeeper::nodes() const {
  std::vector<std::shared_ptr<node::Node>> nodes;
  for (const Followed& followed : followed_) nodes.push_back(followed.node);
  return nodes;
}

}  // namespace comity::runtime
