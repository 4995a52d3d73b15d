// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/requests.hpp"

#include "interpose/requests/shares.hpp"
#include "real.hpp"

namespace comity::interpose {

constinit RequestTable request_table;
constinit std::atomic<Threads> known_threads{Threads::unknown};
constinit std::atomic<std::int64_t> remembered_requests{0};
constinit thread_local std::uint32_t silent_requests __attribute__((tls_model("initial-exec"))) = 0;

namespace {

constexpr std::int64_t kNobodyCounts = std::int64_t{1} << 62U;

Threads ask_the_mpi() {
  int begun = 0;
  int level = MPI_THREAD_MULTIPLE;
  real::MPI_Initialized(&begun);
  const bool one = begun != 0 && real::MPI_Query_thread(&level) == MPI_SUCCESS && level < MPI_THREAD_MULTIPLE;
  return one ? Threads::one : Threads::several;
}

}  // namespace

Threads ask_for_threads() {
  Threads unknown = Threads::unknown;
  if (ask_the_mpi() == Threads::several)
    requests_are_shared();
  else
    known_threads.compare_exchange_strong(unknown, Threads::one, std::memory_order_relaxed);
  return known_threads.load(std::memory_order_relaxed);
}

void requests_are_shared() {
  known_threads.store(Threads::several, std::memory_order_relaxed);
  remembered_requests.store(kNobodyCounts, std::memory_order_relaxed);
}

bool take(const MPI_Request* requests, std::size_t count, Held* held) {
  const Threads threads = threads_in_mpi();
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    held[i] = request_table.take(key_of(requests[i]), threads);
    any = any || held[i];
  }
  return any;
}

void let_go_of_kept(const Followed& followed) {
  if (followed.peer == kEverybody)
    delete followed.shares;
  else
    let_go(followed.wildcard);
}

std::vector<UnfinishedRequest> unfinished_requests() {
  std::vector<UnfinishedRequest> found;
  request_table.each([&](const Followed& followed) {
    if (followed.persistent || (followed.key & kMessageMark) != 0) return;
    found.push_back({followed.maker, followed.caller, followed.stands_for_many ? std::int64_t{kOneOf} : 1});
  });
  return found;
}

}  // namespace comity::interpose
