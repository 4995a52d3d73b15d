// SPDX-License-Identifier: BSD-3-Clause
#include "node/slots.hpp"

#include <algorithm>

#include "node/barrier.hpp"

namespace comity::node {
namespace {

// free: anyone may claim. building: its claimer fills it. live: its members use it.
enum class Use : std::uint16_t { free = 0, building = 1, live = 2 };

// Bits 0-15 use | 16-31 claimer | 32-63 epoch.
struct SlotState {
  std::uint32_t epoch;
  int claimer;
  Use use;

  [[nodiscard]] static SlotState unpacked(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 32U), static_cast<int>((bits >> 16U) & 0xFFFFU),
            static_cast<Use>(bits & 0xFFFFU)};
  }
  [[nodiscard]] std::uint64_t packed() const {
    return (std::uint64_t{epoch} << 32U) | (static_cast<std::uint64_t>(claimer) << 16U) |
           static_cast<std::uint64_t>(use);
  }
};

// What stands in memory that others write is a number of anything.
int one_of(const Node& node, int participant) { return std::clamp(participant, 0, node.participants() - 1); }

}  // namespace

std::optional<Claim> Slots::claim(std::span<const int> participants) const {
  for (std::size_t slot = 0; slot < segment_.slots(); ++slot) {
    const auto state = segment_.group(slot).state.load(std::memory_order_acquire);
    if (SlotState::unpacked(state).use != Use::free) continue;
    if (const auto claim = try_claim(slot, participants)) return claim;
  }
  // None is free: those whose members all died can be had too.
  for (std::size_t slot = 0; slot < segment_.slots(); ++slot) {
    if (const auto claim = try_claim(slot, participants)) return claim;
  }
  return std::nullopt;
}

std::optional<Claim> Slots::try_claim(std::size_t slot, std::span<const int> participants) const {
  GroupRecord& record = segment_.group(slot);
  std::uint64_t seen = record.state.load(std::memory_order_acquire);
  if (!is_deserted(slot, seen)) return std::nullopt;
  SlotState mine{SlotState::unpacked(seen).epoch + 1, node_.participant(), Use::building};
  if (!record.state.compare_exchange_strong(seen, mine.packed(), std::memory_order_acq_rel)) return std::nullopt;

  MemberRecord* members = segment_.members(slot);
  std::atomic<std::uint64_t>* turns = segment_.turns(slot);
  for (std::size_t rank = 0; rank < participants.size(); ++rank) {
    members[rank].participant.store(static_cast<std::uint32_t>(participants[rank]), std::memory_order_relaxed);
    members[rank].presence.store(Presence::joined, std::memory_order_relaxed);
    members[rank].arrival.store(0, std::memory_order_relaxed);
    turns[rank].store(0, std::memory_order_relaxed);
  }
  record.size.store(static_cast<std::uint32_t>(participants.size()), std::memory_order_relaxed);
  record.sleepers.store(0, std::memory_order_relaxed);
  record.lost.store(0, std::memory_order_relaxed);
  record.turns.store(0, std::memory_order_relaxed);
  record.finder.store(0, std::memory_order_relaxed);
  record.word.store(BarrierWord::fresh(static_cast<std::uint16_t>(mine.epoch)).bits(), std::memory_order_relaxed);
  mine.use = Use::live;
  record.state.store(mine.packed(), std::memory_order_release);
  return Claim{static_cast<std::uint32_t>(slot), mine.epoch};
}

// Looks at records that another claimer may be filling: then its compare-and-swap comes first and ours fails.
bool Slots::is_deserted(std::size_t slot, std::uint64_t bits) const {
  const SlotState state = SlotState::unpacked(bits);
  if (state.use == Use::free) return true;
  if (state.use == Use::building) return !node_.alive(one_of(node_, state.claimer));
  const auto size = std::min<std::uint32_t>(segment_.group(slot).size.load(std::memory_order_relaxed),
                                            static_cast<std::uint32_t>(node_.participants()));
  const MemberRecord* members = segment_.members(slot);
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (members[rank].presence.load(std::memory_order_acquire) != Presence::joined) continue;
    const auto participant = static_cast<int>(members[rank].participant.load(std::memory_order_relaxed));
    if (node_.alive(one_of(node_, participant))) return false;
  }
  return true;
}

void Slots::leave(const Claim& claim, int rank) const noexcept {
  std::atomic<std::uint64_t>& state = segment_.group(claim.slot).state;
  std::uint64_t seen = state.load(std::memory_order_acquire);
  SlotState now = SlotState::unpacked(seen);
  if (now.epoch != claim.epoch || now.use != Use::live) return;
  segment_.members(claim.slot)[rank].presence.store(Presence::left, std::memory_order_seq_cst);
  try {
    if (!is_deserted(claim.slot, seen)) return;
  } catch (...) {
    return;  // the kernel does not say who lives: whoever claims next asks again
  }
  now.use = Use::free;
  state.compare_exchange_strong(seen, now.packed(), std::memory_order_acq_rel);
}

void Slots::abandon(const Claim& claim) const {
  std::atomic<std::uint64_t>& state = segment_.group(claim.slot).state;
  std::uint64_t seen = state.load(std::memory_order_acquire);
  SlotState now = SlotState::unpacked(seen);
  if (now.epoch != claim.epoch || now.use != Use::live) return;
  now.use = Use::free;
  state.compare_exchange_strong(seen, now.packed(), std::memory_order_acq_rel);
}

}  // namespace comity::node
