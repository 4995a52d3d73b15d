// SPDX-License-Identifier: BSD-3-Clause
#include "node/harts/hart_table.hpp"

#include <algorithm>

namespace comity::node {
namespace {

HartWord held_word(HartWord word, int me) {
  if (word.holder() == me) return word;
  const bool takeable = word.state() == HartState::free || word.state() == HartState::idle;
  if (!takeable) return word.with_wanted(word.wanted() + 1);
  return word.taken_over_by(me).with_state(word.owner() == me ? HartState::held : HartState::lent);
}

HartWord returned_word(HartWord word, int me) {
  if (word.holder() != me || word.owner() == me) return word;
  if (word.owner() == kNobody) return word.taken_over_by(kNobody).with_state(HartState::free);
  const bool owner_is_awake = word.state() == HartState::contested;
  return word.taken_over_by(word.owner()).with_state(owner_is_awake ? HartState::held : HartState::idle);
}

HartWord asleep_word(HartWord word, int me) {
  if (word.owner() != me) return word;
  if (word.state() == HartState::held) return word.with_state(HartState::idle);
  if (word.state() == HartState::contested) return word.with_state(HartState::lent);
  return word;
}

HartWord awake_word(HartWord word, int me) {
  if (word.owner() != me) return word;
  if (word.state() == HartState::idle) return word.with_state(HartState::held);
  if (word.state() == HartState::lent) return word.with_state(HartState::contested);
  return word;
}

HartWord word_without(HartWord word, int dead) {
  word = word.with_wanted(0);
  if (word.holder() == dead) word = returned_word(word, dead);
  if (word.owner() != dead) return word;
  word = word.with_owner(kNobody);
  if (word.holder() != dead) return word.state() == HartState::contested ? word.with_state(HartState::lent) : word;
  return word.taken_over_by(kNobody).with_state(HartState::free);
}

}  // namespace

std::vector<int> deal_owners(std::span<const CpuSet> masks, std::size_t hart_count) {
  std::vector<int> owners(hart_count, kNobody);
  std::vector<std::size_t> owned(masks.size(), 0);
  for (std::size_t hart = 0; hart < hart_count; ++hart) {
    for (std::size_t i = 0; i < masks.size(); ++i) {
      if (!masks[i].contains(hart)) continue;
      const bool first = owners[hart] == kNobody;
      if (first || owned[i] < owned[static_cast<std::size_t>(owners[hart])]) owners[hart] = static_cast<int>(i);
    }
    if (owners[hart] != kNobody) ++owned[static_cast<std::size_t>(owners[hart])];
  }
  return owners;
}

void HartTable::set_owners(std::span<const int> owners) {
  for (std::size_t hart = 0; hart < words_.size(); ++hart) {
    const int owner = hart < owners.size() ? owners[hart] : kNobody;
    words_[hart].store(HartWord::owned_by(owner).bits(), std::memory_order_release);
  }
}

// Replaces a hart's word by step(word) and returns the new one.
template <typename Step>
HartWord HartTable::change(std::size_t hart, Step&& step) {
  std::uint64_t seen = words_[hart].load(std::memory_order_acquire);
  while (true) {
    const HartWord next = step(HartWord(seen));
    if (next.bits() == seen) return next;
    if (words_[hart].compare_exchange_weak(seen, next.bits(), std::memory_order_acq_rel, std::memory_order_acquire)) {
      return next;
    }
  }
}

HoldResult HartTable::hold(std::size_t hart, int me) {
  const HartWord now = change(hart, [me](HartWord word) { return held_word(word, me); });
  return now.holder() == me ? HoldResult::taken : HoldResult::wanted;
}

void HartTable::give_back(std::size_t hart, int me) {
  change(hart, [me](HartWord word) { return returned_word(word, me); });
}

void HartTable::withdraw(std::size_t hart) {
  change(hart, [](HartWord word) { return word.wanted() == 0 ? word : word.with_wanted(word.wanted() - 1); });
}

bool HartTable::wanted(std::size_t hart) const {
  if (hart >= words_.size()) return false;
  const HartWord now = word(hart);
  return now.wanted() > 0 || now.state() == HartState::contested;
}

void HartTable::mark_idle(int me, std::size_t hart) {
  change(hart, [me](HartWord word) { return asleep_word(word, me); });
}

void HartTable::mark_held(int me, std::size_t hart) {
  change(hart, [me](HartWord word) { return awake_word(word, me); });
}

CpuSet HartTable::owned_by(int participant) const {
  CpuSet harts;
  for (std::size_t hart = 0; hart < words_.size(); ++hart) {
    if (word(hart).owner() == participant) harts.insert(hart);
  }
  return harts;
}

void HartTable::drop_dead(int participant) {
  for (std::size_t hart = 0; hart < words_.size(); ++hart) {
    change(hart, [participant](HartWord word) { return word_without(word, participant); });
  }
}

}  // namespace comity::node
