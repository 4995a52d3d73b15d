// SPDX-License-Identifier: BSD-3-Clause
// Turns: how often each member of a group has come to something that all of them come to in the same order, and what a member
// sleeps for meanwhile. Unlike the barrier it lets each decide for whom it waits. Not: how it waits, and who is rung. Invariant:
// a member writes its own word only, so a kill leaves nothing locked, and who comes last sees all the others.
//
//   bits 0-11 turns of some since the last one of all | 12-31 turns of all | 32-63 what it sleeps for
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

namespace comity::node {

// What a member sleeps for: nothing, the last one of those it needs, something inside that turn that only its owner knows of, or
// that member.
class SleepsFor {
 public:
  constexpr explicit SleepsFor(std::uint32_t word = 0) : word_(word) {}
  [[nodiscard]] static constexpr SleepsFor nothing() { return SleepsFor(0); }
  [[nodiscard]] static constexpr SleepsFor the_last() { return SleepsFor(1); }
  [[nodiscard]] static constexpr SleepsFor a_step() { return SleepsFor(2); }
  // Nothing, and it would pass the next turns untold, if all said so.
  [[nodiscard]] static constexpr SleepsFor nothing_soon() { return SleepsFor(~std::uint32_t{0}); }
  // Nothing, and it may be in its next turn, or in none.
  [[nodiscard]] static constexpr SleepsFor in_doubt() { return SleepsFor(~std::uint32_t{1}); }
  [[nodiscard]] static constexpr SleepsFor member(int rank) { return SleepsFor(static_cast<std::uint32_t>(rank) + 3); }

  [[nodiscard]] constexpr std::uint32_t word() const { return word_; }
  [[nodiscard]] constexpr bool operator==(const SleepsFor&) const = default;

 private:
  std::uint32_t word_;
};

class Turns {
 public:
  struct Word {
    std::uint32_t turn;
    SleepsFor sleeps_for;
  };

  Turns(std::span<std::atomic<std::uint64_t>> words, int rank) : words_(words), mine_(&words[at(rank)]) {}

  // All: nobody is done with what the turn is for before all are in it. Some: members may be, so two of them may have counted such turns
  // differently; the next one of all begins a new count.
  enum class Of : std::uint8_t { all, some };

  // My next turn begins. Whoever looks after this sees it: of two that come at once one sees the other.
  void come(Of whom, SleepsFor what = SleepsFor::nothing()) {
    pass(whom);
    sleep_for(what);
  }
  // The same, but nobody sees it before I sleep for something.
  void pass(Of whom) {
    before_ = turn_;
    alls_before_ = alls_;
    if (whom == Of::all) {
      ++alls_;
      turn_ = (turn_ | kSome) + 1;
    } else if ((turn_ & kSome) != kSome) {  // else it goes on: nobody waits for me there
      ++turn_;
    }
  }
  // I was not meant: the turn begins anew. Others may have seen it, if it was told.
  void take_back() {
    const bool told = has_told();
    turn_ = before_;
    alls_ = alls_before_;
    if (told) return sleep_for(SleepsFor::nothing());
    if (std::exchange(is_in_doubt_, false)) tell(told_, SleepsFor::nothing());
  }
  // Behind pass(): nobody sees my turn, but that I may be in it.
  void doubt() {
    is_in_doubt_ = true;
    tell(told_, SleepsFor::in_doubt());
  }
  // Before I look for the last time: who comes after that look sees what I sleep for.
  void sleep_for(SleepsFor what) {
    told_ = turn_;
    is_in_doubt_ = false;
    tell(turn_, what);
  }
  void awake() { mine_->store(turn_, std::memory_order_release); }

  [[nodiscard]] Word of(int rank) const {
    const std::uint64_t bits = words_[at(rank)].load(std::memory_order_seq_cst);
    return {static_cast<std::uint32_t>(bits), SleepsFor(static_cast<std::uint32_t>(bits >> 32U))};
  }
  // To my turn, or further.
  [[nodiscard]] bool has_come(int rank) const { return static_cast<std::int32_t>(of(rank).turn - turn_) >= 0; }
  [[nodiscard]] std::uint32_t turn() const { return turn_; }
  // How many of all there were, my turn counted: the same on all members.
  [[nodiscard]] std::uint64_t turns_of_all() const { return alls_; }
  // Whether others see that I have come to my turn.
  [[nodiscard]] bool has_told() const { return told_ == turn_; }

 private:
  void tell(std::uint32_t turn, SleepsFor what) {
    mine_->exchange(std::uint64_t{what.word()} << 32U | turn, std::memory_order_seq_cst);
  }
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  std::span<std::atomic<std::uint64_t>> words_;
  std::atomic<std::uint64_t>* mine_;
  static constexpr std::uint32_t kSome = (1U << 12U) - 1;  // the bits that count turns of some

  std::uint32_t turn_ = 0;
  std::uint32_t before_ = 0;  // the turn before this one
  std::uint64_t alls_ = 0;
  std::uint64_t alls_before_ = 0;
  std::uint32_t told_ = 0;
  bool is_in_doubt_ = false;
};

}  // namespace comity::node
