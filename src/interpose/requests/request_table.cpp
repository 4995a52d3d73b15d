// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/request_table.hpp"

#include <memory>
#include <new>

namespace comity::interpose {
namespace {

constexpr RequestKey kFree = 0;
constexpr RequestKey kHeld = ~RequestKey{0};
constexpr std::size_t kKeysOfLine = 8;
constexpr unsigned kFirstBits = 7;  // 1,024 requests; each part that comes behind a full one is four times as large

// The keys of eight requests stand in one line of memory, what is known of them elsewhere.
struct alignas(64) Line {
  std::array<std::atomic<RequestKey>, kKeysOfLine> keys{};
};

bool turn(std::atomic<RequestKey>& place, RequestKey from, RequestKey to, Threads threads) {
  if (threads != Threads::one) return place.compare_exchange_strong(from, to, std::memory_order_acquire);
  place.store(to, std::memory_order_relaxed);
  return true;
}

}  // namespace

class RequestTable::Part {
 public:
  explicit Part(unsigned bits)
      : bits_(bits), lines_(new Line[std::size_t{1} << bits]), followed_(new Followed[kKeysOfLine << bits]) {}

  // The place in which `from` stood and `to` stands now, in the key's line; or nothing.
  Held change(RequestKey key, RequestKey from, RequestKey to, Threads threads) const {
    const std::size_t line = (key * 0x9E3779B97F4A7C15U) >> (64U - bits_);
    for (std::size_t i = 0; i < kKeysOfLine; ++i) {
      std::atomic<RequestKey>& place = lines_[line].keys[i];
      if (place.load(std::memory_order_relaxed) != from || !turn(place, from, to, threads)) continue;
      return {&place, &followed_[line * kKeysOfLine + i]};
    }
    return kNothingHeld;
  }

  void each(void (*visit)(const Followed&, void*), void* with) const {
    for (std::size_t i = 0; i < kKeysOfLine << bits_; ++i) {
      const RequestKey key = lines_[i / kKeysOfLine].keys[i % kKeysOfLine].load(std::memory_order_acquire);
      if (key != kFree && key != kHeld) visit(followed_[i], with);
    }
  }

 private:
  unsigned bits_;
  std::unique_ptr<Line[]> lines_;
  std::unique_ptr<Followed[]> followed_;
};

void RequestTable::end() {
  for (std::atomic<Part*>& part : parts_) delete part.exchange(nullptr, std::memory_order_acquire);
}

// The part of this place, made by whoever comes first; null where memory runs out.
RequestTable::Part* RequestTable::part_at(std::size_t place) noexcept {
  Part* part = parts_[place].load(std::memory_order_acquire);
  if (part != nullptr) return part;
  try {
    auto made = std::make_unique<Part>(kFirstBits + 2U * static_cast<unsigned>(place));
    if (parts_[place].compare_exchange_strong(part, made.get(), std::memory_order_acq_rel)) part = made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return part;
}

Held RequestTable::add(RequestKey key, Threads threads) noexcept {
  for (std::size_t i = 0; i < kParts; ++i) {
    const Part* const part = part_at(i);
    if (part == nullptr) return kNothingHeld;
    const Held held = part->change(key, kFree, kHeld, threads);
    if (!held) continue;
    held.followed().key = key;
    return held;
  }
  return kNothingHeld;
}

Held RequestTable::take(RequestKey key, Threads threads) const {
  for (const std::atomic<Part*>& one : parts_) {
    const Part* const part = one.load(std::memory_order_acquire);
    if (part == nullptr) break;
    const Held held = part->change(key, key, kHeld, threads);
    if (held) return held;
  }
  return kNothingHeld;
}

void RequestTable::each(void (*visit)(const Followed&, void*), void* with) const {
  for (const std::atomic<Part*>& one : parts_) {
    const Part* const part = one.load(std::memory_order_acquire);
    if (part == nullptr) break;
    part->each(visit, with);
  }
}

}  // namespace comity::interpose
