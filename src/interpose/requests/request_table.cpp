// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/request_table.hpp"

#include <memory>
#include <new>

namespace comity::interpose {
namespace {

constexpr unsigned kFirstBits = 7;  // 1,024 requests; each part that comes behind a full one is four times as large

}  // namespace

void RequestTable::end() {
  for (std::atomic<const RequestPart*>& part : parts_) delete part.exchange(nullptr, std::memory_order_acquire);
}

// The part of this place, made by whoever comes first; null where memory runs out.
const RequestPart* RequestTable::make_part(std::size_t place) noexcept {
  const RequestPart* part = nullptr;
  try {
    auto made = std::make_unique<const RequestPart>(kFirstBits + 2U * static_cast<unsigned>(place));
    if (parts_[place].compare_exchange_strong(part, made.get(), std::memory_order_acq_rel)) part = made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return part;
}

Held RequestTable::add_behind_full_ones(RequestKey key, Threads threads) noexcept {
  for (std::size_t i = 0; i < kParts; ++i) {
    const RequestPart* const there = part(i) != nullptr ? part(i) : make_part(i);
    if (there == nullptr) return kNothingHeld;
    if (const Held held = there->add(key, threads)) return held;
  }
  return kNothingHeld;
}

Held RequestTable::take_from_further_ones(RequestKey key, Threads threads) const {
  for (std::size_t i = 1; i < kParts && part(i) != nullptr; ++i) {
    if (const Held held = part(i)->take(key, threads)) return held;
  }
  return kNothingHeld;
}

}  // namespace comity::interpose
