// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/roster.hpp"

#include <unistd.h>

#include <algorithm>

#include "os/cpus/affinity.hpp"
#include "os/threads/thread_origins.hpp"

namespace comity::context {
namespace {

// libcomity_mpi calls it, so a program that MPI is linked into exports it.
constexpr const char* kOfMpi = "MPI_Initialized";

}  // namespace

void Roster::note_helpers() {
  os::list_threads(ids_);
  const os::ThreadOrigins origins;
  static const bool parts_program_from_mpi = !os::ThreadOrigins::has_program(kOfMpi);  // once, for it allocates
  const auto is_programs = [&](pid_t thread) { return parts_program_from_mpi && origins.is_in_program(thread); };
  std::vector<pid_t> helpers;
  for (const pid_t thread : ids_) {
    if (thread == os::this_thread() || thread == getpid()) continue;
    const bool helps = is_helper(thread) || (os::sleeps_in_poll(thread) && !is_programs(thread));
    if (helps) helpers.push_back(thread);
  }
  helpers_ = std::move(helpers);
  threads_.clear();  // the next look lists
}

bool Roster::is_helper(pid_t thread) const { return std::binary_search(helpers_.begin(), helpers_.end(), thread); }

const Roster::Thread* Roster::find(pid_t id) const {
  const auto place = std::lower_bound(threads_.begin(), threads_.end(), id,
                                      [](const Thread& thread, pid_t wanted) { return thread.id < wanted; });
  return place != threads_.end() && place->id == id ? &*place : nullptr;
}

std::size_t Roster::living_helpers() const noexcept {
  CpuSet ignored;
  const auto alive = [&](pid_t helper) {
    try {
      return os::affinity_if_alive(helper, ignored);
    } catch (...) {
      return false;  // the kernel does not say: then the threads are listed anew
    }
  };
  return static_cast<std::size_t>(std::count_if(helpers_.begin(), helpers_.end(), alive));
}

bool Roster::has_only(std::size_t alive) const noexcept { return count_.now() == alive + living_helpers(); }

// As many as were listed, and each of those alive: so no other can have been born.
bool Roster::unchanged() {
  if (threads_.empty() || count_.now() != threads_.size() + helpers_.size()) return false;
  for (Thread& thread : threads_) {
    if (!os::affinity_if_alive(thread.id, thread.mask)) return false;
  }
  return living_helpers() == helpers_.size();
}

void Roster::list() {
  os::list_threads(ids_);
  count_.calibrate(ids_.size());
  std::erase_if(helpers_, [&](pid_t helper) { return !std::binary_search(ids_.begin(), ids_.end(), helper); });
  threads_.clear();
  asks_left_ = kMostAsks;
  for (const pid_t id : ids_) {
    Thread thread{id, {}};
    if (!is_helper(id) && os::affinity_if_alive(id, thread.mask)) threads_.push_back(thread);
  }
}

void Roster::learn_origins() {
  if (asks_left_ == 0) return;
  const os::ThreadOrigins origins;
  if (origins.is_refused()) return;
  --asks_left_;
  bool all_known = true;
  for (Thread& thread : threads_) {
    if (thread.begins_in == 0) thread.begins_in = origins.of(thread.id).value_or(0);
    all_known = all_known && (thread.begins_in != 0 || thread.id == getpid());
  }
  if (all_known) asks_left_ = 0;
}

bool Roster::look() {
  if (unchanged()) return false;
  const std::vector<pid_t> before = ids_;
  list();
  return ids_ != before;
}

}  // namespace comity::context
