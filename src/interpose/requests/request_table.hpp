// SPDX-License-Identifier: BSD-3-Clause
// RequestTable: what is known of each request by its handle, which has its place in one line of memory. The program
// completes a request in one place only, so whoever finds it has it alone. Not: what MPI's handles are (requests).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "interpose/requests/request_part.hpp"

namespace comity::interpose {

// Grows as it fills. Its memory stays until end(): that of a process stays for good, for programs call MPI while they end.
class RequestTable {
 public:
  constexpr RequestTable() = default;
  ~RequestTable() = default;
  RequestTable(const RequestTable&) = delete;
  RequestTable& operator=(const RequestTable&) = delete;

  // A place in which nothing but the key is known yet: put it back filled. Nothing where memory runs out.
  [[nodiscard]] Held add(RequestKey key, Threads threads) noexcept {
    const RequestPart* const first = part(0);
    const Held held = first != nullptr ? first->add(key, threads) : kNothingHeld;
    return held ? held : add_behind_full_ones(key, threads);
  }
  [[nodiscard]] Held take(RequestKey key, Threads threads) const {
    const RequestPart* const first = part(0);
    const Held held = first != nullptr ? first->take(key, threads) : kNothingHeld;
    return held || part(1) == nullptr ? held : take_from_further_ones(key, threads);
  }

  // Each that is there. While nobody else is in the table.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < kParts && part(i) != nullptr; ++i) part(i)->each(visit);
  }

  void end();

 private:
  static constexpr std::size_t kParts = 10;

  [[nodiscard]] const RequestPart* part(std::size_t place) const {
    return parts_[place].load(std::memory_order_acquire);
  }
  const RequestPart* make_part(std::size_t place) noexcept;
  [[nodiscard]] Held add_behind_full_ones(RequestKey key, Threads threads) noexcept;
  [[nodiscard]] Held take_from_further_ones(RequestKey key, Threads threads) const;

  std::array<std::atomic<const RequestPart*>, kParts> parts_{};
};

}  // namespace comity::interpose
