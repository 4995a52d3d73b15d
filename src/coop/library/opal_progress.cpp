// SPDX-License-Identifier: BSD-3-Clause
// How Open MPI calls us: what it exports for its own parts, unchanged from 1.7 to 5.0. And where its threads wait for requests at once: since 2.0 one
// of them makes the library go on, and the others sleep in ompi_sync_wait_mt, which it finds here first.
#include <atomic>

#include "coop/library/library_wait.hpp"
#include "interpose/loaded_mpi.hpp"

namespace comity::coop {
namespace {

constexpr const char* kName = "ompi_sync_wait_mt";
using SyncWait = int (*)(void* sync);

std::atomic<SyncWait> next{nullptr};
std::atomic<int> waiting{0};

SyncWait find_next() {
  const auto found = reinterpret_cast<SyncWait>(interpose::find_function(kName));
  next.store(found, std::memory_order_release);
  return found;
}

// Returns how many events there were.
int no_event() {
  rest_after_a_round();
  return 0;
}

}  // namespace

int wait_for_sync(void* sync);
int wait_for_sync(void* sync) {
  SyncWait real = next.load(std::memory_order_acquire);
  if (real == nullptr) real = find_next();
  if (waiting.fetch_add(1) > 0) before_another_looks();
  const int code = real(sync);
  waiting.fetch_sub(1);
  return code;
}

bool may_call_back() { return true; }

bool hook_into_progress() {
  using Callback = int (*)();
  const auto add = reinterpret_cast<int (*)(Callback)>(interpose::find_function("opal_progress_register"));
  return add != nullptr && add(&no_event) == 0;
}

bool sleeps_in_the_library() { return true; }

}  // namespace comity::coop

extern "C" __attribute__((visibility("default"))) int ompi_sync_wait_mt(void* sync) {
  return comity::coop::wait_for_sync(sync);
}
