// SPDX-License-Identifier: BSD-3-Clause
#include "node/precedent.hpp"

#include "base/spin.hpp"
#include "node/published_mask.hpp"

namespace comity::node {
namespace {

// Bits 0-30 generation | 31-46 turns that are decided | 47-62 the first of them that follows the set, plus one; 0: none.
struct Decisions {
  std::uint32_t generation;
  std::uint32_t decided;
  std::uint32_t first;

  static constexpr std::uint32_t kMost = 0xFFFF;

  [[nodiscard]] static Decisions unpacked(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits & 0x7FFFFFFFU), static_cast<std::uint32_t>((bits >> 31U) & kMost),
            static_cast<std::uint32_t>((bits >> 47U) & kMost)};
  }
  [[nodiscard]] std::uint64_t packed() const {
    return generation | (std::uint64_t{decided} << 31U) | (std::uint64_t{first} << 47U);
  }
};

constexpr int kPatience = 4096;  // looks at a word, for a member that is about to decide

std::uint32_t short_digest_of(const CpuSet& set) {
  const std::uint64_t digest = digest_of(set);
  return static_cast<std::uint32_t>(digest ^ (digest >> 32U));
}

}  // namespace

CpuSet Precedent::set() const {
  CpuSet set;
  for (std::size_t i = 0; i < CpuSet::kWords; ++i) set.words()[i] = record_.found[i].load(std::memory_order_relaxed);
  return set;
}

// Whether the set stands in the record. Members that have found the same one write the same words; of two that differ the
// first counts.
bool Precedent::offer(std::uint32_t generation, const CpuSet& found) {
  const std::uint64_t tag = (std::uint64_t{generation} << 1U) | 1U;  // not that of a fresh record
  const std::uint64_t mine = (tag << 32U) | short_digest_of(found);
  std::uint64_t seen = record_.finder.load(std::memory_order_acquire);
  while (seen != mine) {
    if (seen >> 32U == tag) return false;
    if (record_.finder.compare_exchange_weak(seen, mine, std::memory_order_acq_rel)) break;
  }
  for (std::size_t i = 0; i < CpuSet::kWords; ++i) record_.found[i].store(found.words()[i], std::memory_order_relaxed);
  return true;
}

std::optional<CpuSet> Precedent::follow(std::uint32_t generation, std::uint32_t turn, const Find& find) {
  std::optional<CpuSet> found;
  bool has_looked = false;
  std::uint64_t seen = record_.turns.load(std::memory_order_acquire);
  for (;;) {
    Decisions turns = Decisions::unpacked(seen);
    if (turns.generation != generation) turns = {generation, 0, 0};
    const bool follows = turns.first != 0 && turn + 1 >= turns.first;
    if (turn < turns.decided || turn + 1 >= Decisions::kMost) return follows ? std::optional(set()) : std::nullopt;
    if (!follows && !has_looked) {
      found = find();
      has_looked = true;
    }
    const bool offered = !follows && found && offer(generation, *found);
    if (!follows && found && !offered) {
      for (int look = 0; look < kPatience && record_.turns.load(std::memory_order_acquire) == seen; ++look)
        spin_pause();
    }
    const Decisions next{generation, turn + 1, offered ? turn + 1 : turns.first};
    record_.turns.compare_exchange_strong(seen, next.packed(), std::memory_order_acq_rel, std::memory_order_acquire);
    seen = record_.turns.load(std::memory_order_acquire);
  }
}

}  // namespace comity::node
