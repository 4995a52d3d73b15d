// SPDX-License-Identifier: BSD-3-Clause
// BellWire: how a participant is rung that sleeps on descriptors, which a futex word cannot end: through a socket of its own.
// Not: who sleeps, and when it is rung (doorbell). One thread of a process at a time sleeps on it. Thread-safe.
#pragma once

#include <atomic>

#include "node/layout.hpp"
#include "os/files/wake_socket.hpp"

namespace comity::node {

class BellWire {
 public:
  BellWire(const Header& header, int me);  // throws Status::system

  [[nodiscard]] bool reaches(int participant) const { return os::Waker::reaches(name_of(participant)); }
  void ring(int participant) const noexcept { waker_.wake(name_of(participant), key_); }

  // False: another thread has it.
  [[nodiscard]] bool take() { return !is_taken_.exchange(true, std::memory_order_acquire); }
  void give_back() { is_taken_.store(false, std::memory_order_release); }
  // By who has taken it.
  [[nodiscard]] int number() const { return mine_.number(); }
  void drain() noexcept { mine_.drain(); }

 private:
  [[nodiscard]] os::WakeName name_of(int participant) const {
    return {.of = id_, .number = static_cast<std::uint64_t>(participant)};
  }

  std::uint64_t id_;
  os::WakeKey key_;  // known to those alone who map the segment
  os::WakeSocket mine_;
  os::Waker waker_;
  std::atomic<bool> is_taken_{false};
};

}  // namespace comity::node
