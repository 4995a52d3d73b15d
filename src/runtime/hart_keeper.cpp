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

  const auto take = [&](std::size_t hart) {
    if (!known(hart) || harts.word(hart).owner() == me) return;
    const bool taken = harts.hold(hart, me) == node::HoldResult::taken;
    (taken ? followed.taken : followed.asked).insert(hart);
  };
  // Word by word, for most words of most sets are empty, and a push waits for this.
  for (std::size_t word = 0; word < CpuSet::kWords; ++word) {
    const std::uint64_t wanted = pushed.words()[word];
    std::uint64_t& taken = followed.taken.words()[word];
    std::uint64_t& asked = followed.asked.words()[word];
    if ((wanted | taken | asked) == 0) continue;
    for_each_bit(taken & ~wanted, word, [&](std::size_t hart) { harts.give_back(hart, me); });
    for_each_bit(asked & ~wanted, word, [&](std::size_t hart) { harts.withdraw(hart); });
    taken &= wanted;
    asked &= wanted;
    for_each_bit(wanted & ~taken & ~asked, word, take);
  }
}

void HartKeeper::release_unused() {
  std::erase_if(followed_, [](Followed& followed) {
    if (followed.node.use_count() > 1) return false;
    update(followed, CpuSet());
    return true;
  });
}

}  // namespace comity::runtime
