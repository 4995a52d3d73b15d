// SPDX-License-Identifier: BSD-3-Clause
// Slots: which slot of the segment belongs to which group. Not: the group's barrier. A slot is in use while
// one of its members has not left and lives; nobody needs to free it. Its epoch grows with each claim, so
// that a stale handle is told apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "node/node.hpp"

namespace comity::node {

struct Claim {
  std::uint32_t slot = 0;
  std::uint32_t epoch = 0;

  [[nodiscard]] std::uint64_t packed() const { return (std::uint64_t{slot} << 32U) | epoch; }
  [[nodiscard]] static Claim unpacked(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 32U), static_cast<std::uint32_t>(bits)};
  }
};

class Slots {
 public:
  explicit Slots(const Node& node) : node_(node), segment_(node.segment()) {}

  // A slot for these participants, in rank order; all count as members from now on. Empty: all slots are in
  // use.
  [[nodiscard]] std::optional<Claim> claim(std::span<const int> participants) const;
  // A member is done with it; the last one frees it.
  void leave(const Claim& claim, int rank) const noexcept;
  // Takes a claim back that nobody joined.
  void abandon(const Claim& claim) const;

 private:
  [[nodiscard]] std::optional<Claim> try_claim(std::size_t slot, std::span<const int> participants) const;
  [[nodiscard]] bool is_deserted(std::size_t slot, std::uint64_t state) const;

  const Node& node_;
  const Segment& segment_;
};

}  // namespace comity::node
