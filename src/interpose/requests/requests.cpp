// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/requests.hpp"

#include "real.hpp"

namespace comity::interpose {

constinit std::atomic<std::int64_t> remembered_requests{0};

namespace {

constexpr std::int64_t kNobodyCounts = std::int64_t{1} << 62U;

constinit RequestTable table;
constinit std::atomic<Threads> threads{Threads::unknown};

Threads ask_the_mpi() {
  int begun = 0;
  int level = MPI_THREAD_MULTIPLE;
  real::MPI_Initialized(&begun);
  const bool one = begun != 0 && real::MPI_Query_thread(&level) == MPI_SUCCESS && level < MPI_THREAD_MULTIPLE;
  return one ? Threads::one : Threads::several;
}

[[gnu::noinline]] void settle() {
  Threads unknown = Threads::unknown;
  if (ask_the_mpi() == Threads::several)
    requests_are_shared();
  else
    threads.compare_exchange_strong(unknown, Threads::one, std::memory_order_relaxed);
}

// Settled at the first request: from then on only requests_are_shared() changes it.
Threads threads_in_mpi() {
  if (threads.load(std::memory_order_relaxed) == Threads::unknown) [[unlikely]]
    settle();
  return threads.load(std::memory_order_relaxed);
}

void count(std::int64_t more) {
  if (threads_in_mpi() == Threads::several) return;
  remembered_requests.store(remembered_requests.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

bool one_thread_at_once() { return threads_in_mpi() == Threads::one; }

void requests_are_shared() {
  threads.store(Threads::several, std::memory_order_relaxed);
  remembered_requests.store(kNobodyCounts, std::memory_order_relaxed);
}

Held remember(RequestKey key) noexcept {
  const Held held = table.add(key, threads_in_mpi());
  if (held) count(+1);
  return held;
}

Held take(RequestKey key) { return table.take(key, threads_in_mpi()); }

bool take(const MPI_Request* requests, std::size_t count, Held* held) {
  const Threads now = threads_in_mpi();
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    held[i] = table.take(key_of(requests[i]), now);
    any = any || held[i];
  }
  return any;
}

void forget(const Held& held) {
  if (held.followed().wildcard != nullptr) let_go(held.followed().wildcard);
  held.clear();
  count(-1);
}

std::vector<UnfinishedRequest> unfinished_requests() {
  std::vector<UnfinishedRequest> found;
  table.each([&](const Followed& followed) {
    if (!followed.persistent && (followed.key & kMessageMark) == 0) found.push_back({followed.key, followed.maker});
  });
  return found;
}

}  // namespace comity::interpose
