// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/peers.hpp"

#include <new>

namespace comity::metrics {
namespace {

void copy(Peer& to, const Peer& from) {
  to.sends.add(from.sends.value());
  to.sent_bytes.add(from.sent_bytes.value());
  to.receives.add(from.receives.value());
  to.received_bytes.add(from.received_bytes.value());
  to.puts.add(from.puts.value());
  to.put_bytes.add(from.put_bytes.value());
  to.gets.add(from.gets.value());
  to.got_bytes.add(from.got_bytes.value());
  to.rank.store(from.rank.load(std::memory_order_relaxed), std::memory_order_release);
}

}  // namespace

Peers::Peers() : table_(nullptr) {
  rest_.rank.store(kRest, std::memory_order_relaxed);
  all_[tables_] = std::make_unique<const Table>(kFirst);
  table_.store(all_[tables_++].get(), std::memory_order_release);
}

// Free or the rank's own; the table is never full.
Peer* Peers::place_in(const Table& table, std::int32_t rank) {
  std::size_t at = std::size_t{static_cast<std::uint32_t>(rank)} * 0x9E3779B1U & (table.size - 1);
  while (true) {
    Peer& place = table.places[at];
    const std::int32_t holds = place.rank.load(std::memory_order_relaxed);
    if (holds == rank || holds == -1) return &place;
    at = (at + 1) & (table.size - 1);
  }
}

Peer& Peers::find(std::int32_t rank) {
  const Table* table = table_.load(std::memory_order_relaxed);
  Peer* place = place_in(*table, rank);
  if (place->rank.load(std::memory_order_relaxed) == rank) return *place;
  if (2 * (used_ + 1) > table->size) {
    if (!grow()) return rest_;
    place = place_in(*table_.load(std::memory_order_relaxed), rank);
  }
  ++used_;
  place->rank.store(rank, std::memory_order_release);
  return *place;
}

bool Peers::grow() {
  const Table& old = *table_.load(std::memory_order_relaxed);
  if (2 * old.size > kMost) return false;
  try {
    auto larger = std::make_unique<const Table>(2 * old.size);
    for (std::size_t i = 0; i < old.size; ++i) {
      const std::int32_t rank = old.places[i].rank.load(std::memory_order_relaxed);
      if (rank >= 0) copy(*place_in(*larger, rank), old.places[i]);
    }
    all_[tables_] = std::move(larger);
  } catch (const std::bad_alloc&) {
    return false;
  }
  table_.store(all_[tables_++].get(), std::memory_order_release);
  return true;
}

}  // namespace comity::metrics
