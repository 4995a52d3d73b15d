// SPDX-License-Identifier: BSD-3-Clause
// Peers: messages and bytes between this rank and each other one, as one thread saw them. Sparse and bounded: a rank that
// talks to everybody in a large job keeps the first ones apart and the rest together.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "metrics/rank/tally.hpp"

namespace comity::metrics {

struct Peer {
  std::atomic<std::int32_t> rank{-1};  // in MPI_COMM_WORLD; -1: free, kRest: all others
  Tally sends, sent_bytes, receives,
      received_bytes;                      // point to point, and each share of a collective call among neighbours
  Tally puts, put_bytes, gets, got_bytes;  // one-sided
};

class Peers {
 public:
  static constexpr std::int32_t kRest = -3;

  Peers();

  // The peer's place; made at the first call. Of the thread that adds.
  [[nodiscard]] Peer& of(std::int32_t rank) {
    if (last_->rank.load(std::memory_order_relaxed) != rank) last_ = &find(rank);
    return *last_;
  }
  template <typename Look>
  void each(Look&& look) const {
    const Table* const table = table_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < table->size; ++i) {
      if (table->places[i].rank.load(std::memory_order_acquire) >= 0) look(table->places[i]);
    }
    if (rest_.sends.value() + rest_.receives.value() + rest_.puts.value() + rest_.gets.value() > 0) look(rest_);
  }

 private:
  struct Table {
    explicit Table(std::size_t places_count) : size(places_count), places(new Peer[places_count]) {}
    std::size_t size;  // a power of two
    std::unique_ptr<Peer[]> places;
  };
  static constexpr std::size_t kFirst = 64;
  static constexpr std::size_t kMost = 8192;  // 0.6 MB

  Peer& find(std::int32_t rank);
  static Peer* place_in(const Table& table, std::int32_t rank);
  bool grow();

  Peer rest_;
  Peer* last_ = &rest_;
  std::size_t used_ = 0;
  std::atomic<const Table*> table_;
  std::array<std::unique_ptr<const Table>, 16> all_;  // those outgrown may still be read
  std::size_t tables_ = 0;
};

}  // namespace comity::metrics
