// SPDX-License-Identifier: BSD-3-Clause
// Barrier: the word of a group's barrier and what one member does with it. Not: how a member waits (wait),
// who is dead.
//
//   bits 0-30 generation | 31 broken | 32-47 members that have arrived | 48-63 epoch of the slot
//
// One compare-and-swap arrives, releases, withdraws or breaks, so a kill anywhere leaves a word that is true:
// the dead member either counts as arrived or does not, and those who wait find its lock gone. The low half
// is the futex.
#pragma once

#include <cstdint>
#include <span>

#include "node/layout.hpp"
#include "os/threads/futex.hpp"

namespace comity::node {

class BarrierWord {
 public:
  constexpr explicit BarrierWord(std::uint64_t bits) : bits_(bits) {}
  [[nodiscard]] static constexpr BarrierWord fresh(std::uint16_t epoch) {
    return BarrierWord(static_cast<std::uint64_t>(epoch) << 48U);
  }

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr std::uint32_t low() const { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint32_t generation() const { return low() & kGenerations; }
  [[nodiscard]] constexpr bool broken() const { return (bits_ & kBroken) != 0; }
  [[nodiscard]] constexpr std::uint32_t arrived() const { return static_cast<std::uint32_t>(bits_ >> 32U) & 0xFFFFU; }
  [[nodiscard]] constexpr std::uint16_t epoch() const { return static_cast<std::uint16_t>(bits_ >> 48U); }

  [[nodiscard]] constexpr BarrierWord with_one_more() const { return BarrierWord(bits_ + kOneArrival); }
  [[nodiscard]] constexpr BarrierWord with_one_less() const { return BarrierWord(bits_ - kOneArrival); }
  [[nodiscard]] constexpr BarrierWord as_broken() const { return BarrierWord(bits_ | kBroken); }
  [[nodiscard]] constexpr BarrierWord released() const {
    return BarrierWord((static_cast<std::uint64_t>(epoch()) << 48U) | ((generation() + 1) & kGenerations));
  }

 private:
  static constexpr std::uint64_t kBroken = std::uint64_t{1} << 31U;
  static constexpr std::uint32_t kGenerations = 0x7FFFFFFF;
  static constexpr std::uint64_t kOneArrival = std::uint64_t{1} << 32U;

  std::uint64_t bits_;
};

enum class Phase { waiting, released, broken, stale };  // stale: the slot went to another group

class Barrier {
 public:
  Barrier(GroupRecord& record, std::span<MemberRecord> members, int rank, std::uint16_t epoch)
      : record_(&record), members_(members), rank_(static_cast<std::size_t>(rank)), epoch_(epoch) {}

  // The generation that I arrive at next. It cannot move before I do.
  [[nodiscard]] std::uint32_t generation() const { return word().generation(); }
  [[nodiscard]] Phase look(std::uint32_t generation) const;

  // Counts me in. `released`: I was the last, and have woken the others.
  [[nodiscard]] Phase arrive(std::uint32_t generation);
  // Counts me out. `waiting`: I am out; anything else happened first.
  [[nodiscard]] Phase withdraw(std::uint32_t generation);
  // No barrier of this group ends any more.
  void break_because_of(int lost_rank, std::uint32_t generation);

  // Sleeps while `generation` goes on, at most until `deadline_ns`.
  os::FutexEnd sleep_until(std::uint32_t generation, std::int64_t deadline_ns);
  [[nodiscard]] std::int64_t released_ns() const { return record_->released_ns.load(std::memory_order_relaxed); }
  [[nodiscard]] int lost_rank() const { return static_cast<int>(record_->lost.load(std::memory_order_acquire)); }
  [[nodiscard]] bool has_arrived(int rank, std::uint32_t generation) const;

 private:
  [[nodiscard]] BarrierWord word() const { return BarrierWord(record_->word.load(std::memory_order_seq_cst)); }
  [[nodiscard]] Phase phase(BarrierWord word, std::uint32_t generation) const;
  [[nodiscard]] bool replace(BarrierWord& seen, BarrierWord next);
  [[nodiscard]] const std::atomic<std::uint32_t>& futex() const;

  GroupRecord* record_;
  std::span<MemberRecord> members_;
  std::size_t rank_;
  std::uint16_t epoch_;
};

}  // namespace comity::node
