// SPDX-License-Identifier: BSD-3-Clause
// HartTable: who owns and who holds each hart of the node, by the PU number of the operating system. Not:
// when to take or to lend. Every change is one compare-and-swap, so a process killed anywhere leaves nothing
// locked. Invariant: a hart has at most one holder. `wanted` is a hint: a death clears it everywhere, and who
// still wants asks again.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"
#include "node/harts/hart_word.hpp"

namespace comity::node {

// The owner of each of `hart_count` harts: of the participants whose mask contains it, the one that owns
// fewest of the lower harts; ties go to the lowest index. kNobody where no mask contains it.
[[nodiscard]] std::vector<int> deal_owners(std::span<const CpuSet> masks, std::size_t hart_count);

enum class HoldResult { taken, wanted };

class HartTable {
 public:
  HartTable() = default;
  explicit HartTable(std::span<std::atomic<std::uint64_t>> words) : words_(words) {}

  [[nodiscard]] std::size_t hart_count() const { return words_.size(); }
  [[nodiscard]] HartWord word(std::size_t hart) const { return HartWord(words_[hart].load(std::memory_order_acquire)); }

  void set_owners(std::span<const int> owners);  // before anyone else sees the table

  // I want to run here. `taken`: I hold the hart now. `wanted`: its holder runs, and sees that one more asks
  // for it.
  HoldResult hold(std::size_t hart, int me);
  // I leave a hart that I took. Its owner holds it again; without an owner it is free. Not mine any more:
  // nothing.
  void give_back(std::size_t hart, int me);
  // I no longer ask for a hart that hold() answered with `wanted`.
  void withdraw(std::size_t hart);
  [[nodiscard]] bool wanted(std::size_t hart) const;

  // I do not run on this hart of mine, I do again. Somebody else's: nothing.
  void mark_idle(int me, std::size_t hart);
  void mark_held(int me, std::size_t hart);
  [[nodiscard]] CpuSet owned_by(int participant) const;

  // Everything that a dead participant owned or held goes back.
  void drop_dead(int participant);

 private:
  template <typename Step>
  HartWord change(std::size_t hart, Step&& step);

  std::span<std::atomic<std::uint64_t>> words_;  // HartWord; acq_rel on change, acquire on look
};

}  // namespace comity::node
