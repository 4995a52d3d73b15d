// SPDX-License-Identifier: BSD-3-Clause
#include "node/barrier.hpp"

#include <bit>

#include "base/clock.hpp"

namespace comity::node {

Phase Barrier::phase(BarrierWord word, std::uint32_t generation) const {
  if (word.epoch() != epoch_) return Phase::stale;
  if (word.generation() != generation) return Phase::released;
  return word.broken() ? Phase::broken : Phase::waiting;
}

Phase Barrier::look(std::uint32_t generation) const { return phase(word(), generation); }

// Sequentially consistent: who releases looks for sleepers after it, who sleeps counts itself before it
// looks.
bool Barrier::replace(BarrierWord& seen, BarrierWord next) {
  std::uint64_t bits = seen.bits();
  const bool done = record_->word.compare_exchange_weak(bits, next.bits(), std::memory_order_seq_cst);
  seen = BarrierWord(bits);
  return done;
}

Phase Barrier::arrive(std::uint32_t generation) {
  members_[rank_].arrival.store(std::uint64_t{generation} + 1, std::memory_order_relaxed);
  BarrierWord seen = word();
  while (phase(seen, generation) == Phase::waiting) {
    const bool last = seen.arrived() + 1 == members_.size();
    if (last) record_->released_ns.store(now_ns(), std::memory_order_relaxed);
    if (!replace(seen, last ? seen.released() : seen.with_one_more())) continue;
    if (!last) return Phase::waiting;
    if (record_->sleepers.load(std::memory_order_seq_cst) != 0) os::futex_wake(futex());
    return Phase::released;
  }
  // The generation cannot have moved without me.
  return phase(seen, generation) == Phase::broken ? Phase::broken : Phase::stale;
}

Phase Barrier::withdraw(std::uint32_t generation) {
  BarrierWord seen = word();
  while (phase(seen, generation) == Phase::waiting) {
    if (!replace(seen, seen.with_one_less())) continue;
    members_[rank_].arrival.store(0, std::memory_order_relaxed);
    return Phase::waiting;
  }
  return phase(seen, generation);
}

void Barrier::break_because_of(int lost_rank, std::uint32_t generation) {
  // The first cause stays: who is told of it may leave the group at once, and is no cause of the break. Who finds another
  // dead rank at the same time writes that one: either is true.
  BarrierWord seen = word();
  if (phase(seen, generation) != Phase::waiting) return;
  record_->lost.store(static_cast<std::uint32_t>(lost_rank), std::memory_order_release);
  while (phase(seen, generation) == Phase::waiting) {
    if (!replace(seen, seen.as_broken())) continue;
    os::futex_wake(futex());
    return;
  }
}

os::FutexEnd Barrier::sleep_until(std::uint32_t generation, std::int64_t deadline_ns) {
  record_->sleepers.fetch_add(1, std::memory_order_seq_cst);
  const os::FutexEnd end = os::futex_wait_until(futex(), generation, deadline_ns);  // unbroken: the low half is it
  record_->sleepers.fetch_sub(1, std::memory_order_seq_cst);
  return end;
}

bool Barrier::has_arrived(int rank, std::uint32_t generation) const {
  const auto mark = members_[static_cast<std::size_t>(rank)].arrival.load(std::memory_order_relaxed);
  return mark == std::uint64_t{generation} + 1;
}

const std::atomic<std::uint32_t>& Barrier::futex() const {
  static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);
  constexpr std::size_t kLowHalf = std::endian::native == std::endian::little ? 0 : 1;
  return reinterpret_cast<const std::atomic<std::uint32_t>*>(&record_->word)[kLowHalf];
}

}  // namespace comity::node
