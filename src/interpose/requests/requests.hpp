// SPDX-License-Identifier: BSD-3-Clause
// Requests: what a request (or a matched message) is about, remembered from the call that made it until it is met again.
// Any thread may make one and any other complete it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "interpose/requests/members.hpp"
#include "interpose/requests/request_table.hpp"

namespace comity::interpose {

template <class Handle>
RequestKey key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<RequestKey>(handle);
  else
    return std::uint64_t{1} << 32U | static_cast<std::uint32_t>(handle);
}

// A message is remembered beside the requests.
inline constexpr RequestKey kMessageMark = std::uint64_t{1} << 63U;
inline RequestKey key_of_message(MPI_Message message) { return key_of(message) | kMessageMark; }

// Of this process. In line, for messages are followed here one by one.
extern constinit RequestTable request_table;
extern constinit std::atomic<Threads> known_threads;
[[gnu::cold]] Threads ask_for_threads();

// How many may be in the MPI at once: asked at the first request, and from then on only requests_are_shared() changes it.
[[nodiscard]] inline Threads threads_in_mpi() {
  const Threads known = known_threads.load(std::memory_order_relaxed);
  return known != Threads::unknown ? known : ask_for_threads();
}

// How many are remembered, where that is known: with several threads at once it is not, and at least one.
extern constinit std::atomic<std::int64_t> remembered_requests;
// False: there is nothing to look for.
[[nodiscard]] inline bool anything_remembered() { return remembered_requests.load(std::memory_order_relaxed) > 0; }
inline void count_remembered(std::int64_t more) {
  if (threads_in_mpi() == Threads::several) return;
  remembered_requests.store(remembered_requests.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

// A place in which nothing but the key is known yet: put it back filled. Nothing where memory runs out: the request's
// message is not told.
[[nodiscard]] inline Held remember(RequestKey key) noexcept {
  const Held held = request_table.add(key, threads_in_mpi());
  if (held) count_remembered(+1);
  return held;
}
[[nodiscard]] inline Held take(RequestKey key) { return request_table.take(key, threads_in_mpi()); }
// Those of a call, each in its place; false: none of them was remembered.
[[nodiscard]] bool take(const MPI_Request* requests, std::size_t count, Held* held);
// What was kept for it: who may send, or shares.
void let_go_of_kept(const Followed& followed);
// Without the count.
inline void drop(const Held& held) {
  if (held.followed().wildcard != nullptr) let_go_of_kept(held.followed());
  held.clear();
}
inline void forget(const Held& held) {
  drop(held);
  count_remembered(-1);
}
// Requests of which nothing is told as they complete, as sends, are remembered for one reason, that it is known which never do. That would
// cost each as much as a receive: so the first ones of a thread are, and then few.
enum class Sampled : std::uint8_t { no, one, for_many };
inline constexpr std::uint32_t kAllOfFirst = 1000;
inline constexpr std::uint32_t kOneOf = 1024;
extern constinit thread_local std::uint32_t silent_requests __attribute__((tls_model("initial-exec")));
[[nodiscard]] inline Sampled sample_request() {
  const std::uint32_t number = ++silent_requests;
  if (number <= kAllOfFirst) return Sampled::one;
  return number % kOneOf == 0 ? Sampled::for_many : Sampled::no;
}

// A request that was started, does not persist, and has not completed: of those that are remembered.
struct UnfinishedRequest {
  std::uint16_t maker;    // the function
  std::uintptr_t caller;  // as of Followed
  std::int64_t count;     // how many it stands for
};
// Where no other thread may call MPI, as while MPI_Finalize begins.
[[nodiscard]] std::vector<UnfinishedRequest> unfinished_requests();

// Whether no other thread can be inside the MPI while a call lasts: then nobody makes a request meanwhile whose handle is
// one that the call ends.
[[nodiscard]] inline bool one_thread_at_once() { return threads_in_mpi() == Threads::one; }
// From now on several threads may be inside the MPI at once.
void requests_are_shared();

}  // namespace comity::interpose
