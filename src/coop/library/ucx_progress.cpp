// SPDX-License-Identifier: BSD-3-Clause
// How MPICH calls us where it stands on UCX: each round of its progress calls ucp_worker_progress, which it finds here
// first. Whoever else in the process uses UCX is passed on: it is in no wait of MPI's.
#include <atomic>

#include "coop/copies.hpp"
#include "coop/library/library_wait.hpp"
#include "coop/watch.hpp"
#include "interpose/loaded_mpi.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

constexpr const char* kName = "ucp_worker_progress";
using Progress = unsigned (*)(void* worker);

std::atomic<bool> is_hooked{false};
std::atomic<Progress> next{nullptr};

Progress find_next() {
  const auto found = reinterpret_cast<Progress>(interpose::find_function(kName));
  next.store(found, std::memory_order_release);
  return found;
}

// Where threads are inside at once one holds the library's lock while it makes progress: it may not sleep there.
bool has_a_lock() {
  int level = MPI_THREAD_MULTIPLE;
  return interpose::real::MPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

}  // namespace

unsigned after_ucx(void* worker);
unsigned after_ucx(void* worker) {
  Progress progress = next.load(std::memory_order_acquire);
  if (progress == nullptr) progress = find_next();
  Watch::begin_look();
  const unsigned events = progress == nullptr ? 0 : progress(worker);
  if (events != 0) {
    Copies::note_moved();
  } else if (is_hooked.load(std::memory_order_relaxed)) {
    rest_after_a_round();
  }
  return events;
}

bool may_call_back() { return interpose::find_function(kName) != nullptr; }

bool hook_into_progress() {
  is_hooked = may_call_back() && !has_a_lock();
  return true;
}

bool sleeps_in_the_library() { return is_hooked.load(std::memory_order_relaxed); }

}  // namespace comity::coop

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  return comity::coop::after_ucx(worker);
}
