// SPDX-License-Identifier: BSD-3-Clause
// RequestTable: what is known of each request by its handle, which has its place in one line of memory. The program
// completes a request in one place only, so whoever finds it has it alone. Not: what MPI's handles are (requests).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace comity::interpose {

struct Members;

using RequestKey = std::uint64_t;  // neither 0 nor its complement

inline constexpr std::int32_t kSilent = -3;  // instead of a peer: no message is told of this request

struct Followed {
  RequestKey key = 0;
  std::uint64_t communicator = 0;
  std::uint64_t bytes = 0;            // that a persistent send gives, or an exchange has room for
  const Members* wildcard = nullptr;  // who may send, where anybody may; kept until this is forgotten
  std::int32_t peer = 0;              // in MPI_COMM_WORLD, kNobody where anybody may send; kSilent
  std::uint16_t maker = 0;            // the function
  bool persistent = false;
  bool active = false;  // started and not yet completed
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

// Grows as it fills. Its memory stays until end(): that of a process stays for good, for programs call MPI while they end.
class RequestTable {
 public:
  constexpr RequestTable() = default;
  ~RequestTable() = default;
  RequestTable(const RequestTable&) = delete;
  RequestTable& operator=(const RequestTable&) = delete;

  // A place in which nothing but the key is known yet: put it back filled. Nothing where memory runs out.
  [[nodiscard]] Held add(RequestKey key, Threads threads) noexcept;
  [[nodiscard]] Held take(RequestKey key, Threads threads) const;

  // Each that is there. While nobody else is in the table.
  template <class Visit>
  void each(Visit&& visit) const {
    each([](const Followed& followed, void* with) { (*static_cast<std::remove_reference_t<Visit>*>(with))(followed); },
         &visit);
  }

  void end();

 private:
  class Part;
  static constexpr std::size_t kParts = 10;

  Part* part_at(std::size_t place) noexcept;
  void each(void (*visit)(const Followed&, void*), void* with) const;

  std::array<std::atomic<Part*>, kParts> parts_{};
};

}  // namespace comity::interpose
