// SPDX-License-Identifier: BSD-3-Clause
// Completions of requests: a wait tests, and sleeps in between. For libraries that do not call back from their own waits.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"
#include "coop/library/error_handlers.hpp"

namespace comity::coop {
namespace {

// After a completion those who waited for this rank's part of it may go on.
template <typename Look>
int complete(Cooperation& here, Look&& look) {
  const int code = wait_for(here, look);
  here.peers.ring_those_owed();
  Copies::end_of_some_requests();
  return code;
}

int wait(MPI_Request* request, MPI_Status* status) {
  Cooperation* const here = at_work();
  if (here == nullptr || request == nullptr) return real::MPI_Wait(request, status);
  return complete(*here, [&](int* over) { return real::MPI_Test(request, over, status); });
}

// Requests that the program has made and not freed of which MPICH 4.0's MPI_Testall says that they have failed when all is well: partitioned
// ones, and those of collectives.
class ToldFailed {
 public:
  void add(MPI_Request request) {
    const std::lock_guard guard(mutex_);
    known_.insert(request);
    any_.store(true, std::memory_order_release);
  }
  void forget(MPI_Request request) {
    if (!any_.load(std::memory_order_acquire)) return;
    const std::lock_guard guard(mutex_);
    known_.erase(request);
  }
  [[nodiscard]] bool among(std::span<const MPI_Request> requests) {
    if (!any_.load(std::memory_order_acquire)) return false;
    const std::lock_guard guard(mutex_);
    return std::ranges::any_of(requests, [&](MPI_Request request) { return known_.contains(request); });
  }

 private:
  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::unordered_set<MPI_Request> known_;
};

// Never destroyed: programs call MPI also while they end.
ToldFailed& told_failed() {
  static auto* const all = new ToldFailed;
  return *all;
}

#if MPI_VERSION >= 4
template <auto kReal>
struct MakesToldFailed;  // the request is the last argument
template <class... A, int (*kReal)(A...)>
struct MakesToldFailed<kReal> {
  static int call(A... a) {
    const int code = kReal(a...);
    if (code == MPI_SUCCESS) told_failed().add(*std::get<sizeof...(A) - 1>(std::tuple<A...>(a...)));
    return code;
  }
};

int free_request(MPI_Request* request) {
  if (request != nullptr) told_failed().forget(*request);  // before another one can have its handle
  return real::MPI_Request_free(request);
}
#endif

// From the last one down, for most complete in the order in which they were started: so a look costs one question and not
// one for each request. Only the call behind it completes any of them.
int ask_each(Cooperation& here, int count, MPI_Request requests[], MPI_Status statuses[]) {
  int left = count;
  wait_for(here, [&](int* over) {
    MPI_Status status;
    int done = 1;
    while (left > 0 && done != 0) {
      if (real::MPI_Request_get_status(requests[left - 1], &done, &status) != MPI_SUCCESS) break;
      if (done != 0) --left;
    }
    *over = done;
    return MPI_SUCCESS;
  });
  const int code = real::MPI_Waitall(count, requests, statuses);
  here.peers.ring_those_owed();
  Copies::end_of_all_requests();
  return code;
}

// MPICH's question after a request that has failed tells its error handler, and so does the completion; its MPI_Testall tells it
// once, but takes some that are well for ones that have failed.
bool may_ask_each(std::span<const MPI_Request> requests) {
  return !handlers_were_set() || told_failed().among(requests);
}

// As MPICH's MPI_Waitall does, and its MPI_Testall where one has failed.
void say_no_error(int count, const MPI_Request requests[], MPI_Status statuses[]) {
  if (statuses == MPI_STATUSES_IGNORE || statuses == nullptr) return;
  for (int i = 0; i < count; ++i) {
    if (requests[i] != no_request()) statuses[i].MPI_ERROR = MPI_SUCCESS;
  }
}

int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  Cooperation* const here = at_work();
  if (here == nullptr || requests == nullptr) return real::MPI_Waitall(count, requests, statuses);
  if (may_ask_each({requests, count < 0 ? 0 : static_cast<std::size_t>(count)}))
    return ask_each(*here, count, requests, statuses);
  say_no_error(count, requests, statuses);
  return complete(*here, [&](int* over) { return real::MPI_Testall(count, requests, over, statuses); });
}

int wait_any(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  Cooperation* const here = at_work();
  if (here == nullptr) return real::MPI_Waitany(count, requests, index, status);
  bool is_told = false;
  const int code = complete(*here, [&](int* over) {
    const int asked = real::MPI_Testany(count, requests, index, over, status);
    is_told = *over != kUntold;
    return asked;
  });
  // There was none to wait for, which MPICH's question does not say in the status where there are inactive ones.
  if (code == MPI_SUCCESS && is_told && *index == MPI_UNDEFINED)
    return real::MPI_Waitany(count, requests, index, status);
  return code;
}

int wait_some(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  Cooperation* const here = at_work();
  if (here == nullptr || done == nullptr) return real::MPI_Waitsome(count, requests, done, indices, statuses);
  return complete(*here, [&](int* over) {
    const int before = std::exchange(*done, kUntold);
    const int code = real::MPI_Testsome(count, requests, done, indices, statuses);
    *over = *done != 0 ? 1 : 0;  // some, or MPI_UNDEFINED: there is none to wait for
    if (*done == kUntold) *done = before;
    return code;
  });
}

#define COMITY_LASTING(name) named(#name, &MakesToldFailed<real::name>::call)

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
    named("MPI_Wait", wait), named("MPI_Waitall", wait_all), named("MPI_Waitany", wait_any),
        named("MPI_Waitsome", wait_some),
#if MPI_VERSION >= 4
        COMITY_LASTING(MPI_Psend_init), COMITY_LASTING(MPI_Precv_init), named("MPI_Request_free", free_request),
        COMITY_LASTING(MPI_Barrier_init), COMITY_BOTH(COMITY_LASTING, MPI_Allgather_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Allgatherv_init), COMITY_BOTH(COMITY_LASTING, MPI_Allreduce_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Alltoall_init), COMITY_BOTH(COMITY_LASTING, MPI_Alltoallv_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Alltoallw_init), COMITY_BOTH(COMITY_LASTING, MPI_Bcast_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Exscan_init), COMITY_BOTH(COMITY_LASTING, MPI_Gather_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Gatherv_init), COMITY_BOTH(COMITY_LASTING, MPI_Neighbor_allgather_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Neighbor_allgatherv_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Neighbor_alltoall_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Neighbor_alltoallv_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Neighbor_alltoallw_init), COMITY_BOTH(COMITY_LASTING, MPI_Reduce_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Reduce_scatter_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Reduce_scatter_block_init), COMITY_BOTH(COMITY_LASTING, MPI_Scan_init),
        COMITY_BOTH(COMITY_LASTING, MPI_Scatter_init), COMITY_BOTH(COMITY_LASTING, MPI_Scatterv_init),
#endif
  });
  return all;
}

#undef COMITY_LASTING

}  // namespace

Replaced replacement_of_completion(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
