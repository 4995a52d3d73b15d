// SPDX-License-Identifier: BSD-3-Clause
// RollCall: what the ranks of MPI_COMM_WORLD are about to do together, known at the end of MPI_Init before any of them
// calls a collective of ours: a rank that has not loaded this library, or is told otherwise, would never enter it. Each
// rank leaves a notice with the launcher (notice_board); ranks with a notice then join what they see in a binary tree.
#pragma once

#include <cstdint>
#include <vector>

#include "interpose/subscriber.hpp"

namespace comity::preload {

// What a rank does with others, one bit each.
enum class Plan : std::uint64_t {
  measures = 1,  // brings figures together
  records = 2,
  prints = 4,
  waits = 8,          // cooperatively
  always_waits = 16,  // also where nothing is crowded
  reorders = 32,      // communicators of grids and graphs
  remembers = 64,     // whose its memory is
};

class Plans {
 public:
  Plans() = default;
  explicit Plans(std::uint64_t bits) : bits_(bits) {}

  [[nodiscard]] bool has(Plan plan) const { return (bits_ & static_cast<std::uint64_t>(plan)) != 0; }
  void add(Plan plan) { bits_ |= static_cast<std::uint64_t>(plan); }
  [[nodiscard]] Plans and_also(Plans others) const { return Plans(bits_ & others.bits_); }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

// The last of those who hear of MPI_Init in order, so that it is the first after it.
class RollCall final : public interpose::Subscriber {
 public:
  explicit RollCall(Plans mine) : mine_(mine) {}
  virtual ~RollCall() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;
  void after(const interpose::Event& event) noexcept override;

  // From the end of MPI_Init on.
  [[nodiscard]] Plans of_all() const { return all_; }
  struct Some {
    std::vector<int> ranks;  // that plan it, in order, the same on each of them; none where nobody can tell
    Plans plans;             // of all these
  };
  [[nodiscard]] Some those_with(Plan plan) const;
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  [[nodiscard]] Plans plans_of(int rank) const;
  [[nodiscard]] Plans joined() const;

  Plans mine_;
  Plans all_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace comity::preload
