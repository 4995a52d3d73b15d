// SPDX-License-Identifier: BSD-3-Clause
// CreateGate: one create of this process at a time makes a node segment, so that the next finds it and shares it. Not: the
// agreement among ranks, whose threads may come in any order; a create that is inside here and not there leaves again.
// Invariant: at most one is inside; of those that have tickets the lowest goes first, and who has none goes behind them.
// All ranks of a create hold the same ticket, so the lowest of all is let in everywhere in the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace comity::runtime {

class CreateGate {
 public:
  // A create's place at the gate, for one thread. Allocates nothing: a create that failed here would leave its peers
  // waiting.
  class Place {
   public:
    explicit Place(CreateGate& gate) : gate_(gate) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Whether this create is inside now. With a ticket it waits for its turn, but not for long: peers may wait for it.
    [[nodiscard]] bool enter();
    void leave();
    // From the next enter() on; another one may be taken.
    void take_ticket(std::int64_t ticket);

   private:
    friend class CreateGate;

    CreateGate& gate_;
    std::optional<std::int64_t> ticket_;
    bool inside_ = false;
    bool queued_ = false;
    Place* next_ = nullptr;  // of those that have tickets; guarded by the gate's mutex, as all of this
  };

 private:
  [[nodiscard]] bool is_turn_of(const Place& place) const;
  void unqueue(Place& place);

  std::mutex mutex_;
  std::condition_variable moved_;
  const Place* inside_ = nullptr;
  Place* queue_ = nullptr;  // in no order: few threads create at once
};

}  // namespace comity::runtime
