// SPDX-License-Identifier: BSD-3-Clause
// RequestPart: what is known of requests by their handles, as many as its lines have room for. In line, for messages are looked up
// here one by one. Not: what there is where a line is full (request_table).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace comity::interpose {

struct Members;
struct Message;
using Shares = std::vector<Message>;

using RequestKey = std::uint64_t;  // neither 0 nor its complement

inline constexpr std::int32_t kSilent = -3;  // instead of a peer: no message is told of this request

struct Followed {
  RequestKey key = 0;
  std::uint64_t communicator = 0;
  std::uint64_t bytes = 0;              // that what persists gives, or an exchange has room for
  std::uint64_t other_bytes = 0;        // that a persistent collective call gets
  std::uintptr_t caller = 0;            // the code that has made it; 0: not known
  union {                               // kept until this is forgotten
    const Members* wildcard = nullptr;  // who may send, where anybody may
    const Shares* shares;               // where the peer is everybody: what goes to and comes from each neighbour
  };
  std::int32_t peer = 0;    // in MPI_COMM_WORLD, kNobody where anybody may send; kEverybody, kSilent
  std::uint16_t maker = 0;  // the function
  bool persistent = false;
  bool active = false;           // started and not yet completed
  bool stands_for_many = false;  // kOneOf requests of its kind
};

// A request that was found, or is about to be remembered: nobody else finds it until it is put back.
struct Held {
  std::atomic<RequestKey>* place;  // null: nothing is held
  Followed* what;

  explicit operator bool() const { return place != nullptr; }
  [[nodiscard]] Followed& followed() const { return *what; }
  [[nodiscard]] RequestKey key() const { return what->key; }
  void put_back() const { place->store(what->key, std::memory_order_release); }
  void clear() const { place->store(0, std::memory_order_release); }
};
inline constexpr Held kNothingHeld{nullptr, nullptr};

// How many threads may be in the table at once. One: without locked instructions, which cost as much as all the rest.
enum class Threads : std::uint8_t { unknown, one, several };

class RequestPart {
 public:
  explicit RequestPart(unsigned bits)
      : bits_(bits), lines_(new Line[std::size_t{1} << bits]), followed_(new Followed[kKeysOfLine << bits]) {}

  // A place in which nothing but the key is known yet; or nothing.
  [[nodiscard]] Held add(RequestKey key, Threads threads) const {
    const Held held = change(key, kFree, threads);
    if (held) held.followed().key = key;
    return held;
  }
  [[nodiscard]] Held take(RequestKey key, Threads threads) const { return change(key, key, threads); }

  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < kKeysOfLine << bits_; ++i) {
      const RequestKey key = lines_[i / kKeysOfLine].keys[i % kKeysOfLine].load(std::memory_order_acquire);
      if (key != kFree && key != kHeld) visit(followed_[i]);
    }
  }

 private:
  static constexpr RequestKey kFree = 0;
  static constexpr RequestKey kHeld = ~RequestKey{0};
  static constexpr std::size_t kKeysOfLine = 8;

  // The keys of eight requests stand in one line of memory, what is known of them elsewhere.
  struct alignas(64) Line {
    std::array<std::atomic<RequestKey>, kKeysOfLine> keys{};
  };

  static bool hold(std::atomic<RequestKey>& place, RequestKey from, Threads threads) {
    if (threads != Threads::one) return place.compare_exchange_strong(from, kHeld, std::memory_order_acquire);
    place.store(kHeld, std::memory_order_relaxed);
    return true;
  }

  // The place in which `from` stood and is held now, in the key's line; or nothing.
  [[nodiscard]] Held change(RequestKey key, RequestKey from, Threads threads) const {
    const std::size_t line = (key * 0x9E3779B97F4A7C15U) >> (64U - bits_);
    for (std::size_t i = 0; i < kKeysOfLine; ++i) {
      std::atomic<RequestKey>& place = lines_[line].keys[i];
      if (place.load(std::memory_order_relaxed) != from || !hold(place, from, threads)) continue;
      return {&place, &followed_[line * kKeysOfLine + i]};
    }
    return kNothingHeld;
  }

  unsigned bits_;
  std::unique_ptr<Line[]> lines_;
  std::unique_ptr<Followed[]> followed_;
};

}  // namespace comity::interpose
