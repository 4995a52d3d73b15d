// SPDX-License-Identifier: BSD-3-Clause
// HartWord: what the hart table says of one hart, in 64 bits that change by one compare-and-swap.
//
//   bits 0-15 owner | 16-31 holder | 32-39 wanted | 40-47 state | 48-63 epoch
//
// state      owner         holder        meaning
// free       anyone, none  none          nobody runs here
// held       p             p             the owner runs here
// idle       p             p             the owner sleeps, or runs elsewhere: anyone may take the hart
// lent       not holder    q             q runs here, the owner does not or there is none
// contested  p             q             q runs here and the owner is back: q is asked to leave
#pragma once

#include <cstdint>

namespace comity::node {

enum class HartState : std::uint8_t { free = 0, held = 1, lent = 2, idle = 3, contested = 4 };

inline constexpr int kNobody = -1;

class HartWord {
 public:
  constexpr HartWord() = default;
  constexpr explicit HartWord(std::uint64_t bits) : bits_(bits) {}
  // The word of a hart that its owner holds, or, without one, of a free hart.
  [[nodiscard]] static constexpr HartWord owned_by(int owner) {
    return HartWord().with_owner(owner).with_holder(owner).with_state(owner == kNobody ? HartState::free
                                                                                       : HartState::held);
  }

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr int owner() const { return participant(field(0, 16)); }
  [[nodiscard]] constexpr int holder() const { return participant(field(16, 16)); }
  [[nodiscard]] constexpr unsigned wanted() const { return static_cast<unsigned>(field(32, 8)); }
  [[nodiscard]] constexpr HartState state() const { return static_cast<HartState>(field(40, 8)); }
  [[nodiscard]] constexpr unsigned epoch() const { return static_cast<unsigned>(field(48, 16)); }

  [[nodiscard]] constexpr HartWord with_owner(int who) const { return with(0, 16, code(who)); }
  [[nodiscard]] constexpr HartWord with_state(HartState state) const {
    return with(40, 8, static_cast<std::uint64_t>(state));
  }
  [[nodiscard]] constexpr HartWord with_wanted(unsigned wanted) const {
    return with(32, 8, wanted > kMostWanted ? kMostWanted : wanted);
  }
  // A takeover by another holder also moves the epoch.
  [[nodiscard]] constexpr HartWord taken_over_by(int who) const { return with_holder(who).with(48, 16, epoch() + 1U); }

  friend constexpr bool operator==(HartWord, HartWord) = default;

 private:
  static constexpr std::uint64_t kNoParticipant = 0xFFFF;
  static constexpr unsigned kMostWanted = 0xFF;

  static constexpr int participant(std::uint64_t code) {
    return code == kNoParticipant ? kNobody : static_cast<int>(code);
  }
  static constexpr std::uint64_t code(int who) {
    return who == kNobody ? kNoParticipant : static_cast<std::uint64_t>(who);
  }
  [[nodiscard]] constexpr std::uint64_t field(unsigned shift, unsigned width) const {
    return (bits_ >> shift) & ((std::uint64_t{1} << width) - 1);
  }
  [[nodiscard]] constexpr HartWord with(unsigned shift, unsigned width, std::uint64_t value) const {
    const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << shift;
    return HartWord((bits_ & ~mask) | ((value << shift) & mask));
  }
  [[nodiscard]] constexpr HartWord with_holder(int who) const { return with(16, 16, code(who)); }

  std::uint64_t bits_ = 0;
};

}  // namespace comity::node
