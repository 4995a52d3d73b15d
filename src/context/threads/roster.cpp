// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/roster.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/clock.hpp"
#include "os/cpus/affinity.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/threads/openmp.hpp"
#include "os/threads/thread_origins.hpp"

namespace comity::context {
namespace {

// libcomity_mpi calls it, so a program that MPI is linked into exports it.
constexpr const char* kOfMpi = "MPI_Initialized";
constexpr const char* kOfPreload = "comity_tool_coop_tell_rests";  // that library has a thread which moves the others

// Of the other's own time, for while it waits for a core it cannot go to sleep; and of all in any case.
constexpr std::int64_t kMostWork_ns = 2'000'000;
constexpr Nanoseconds kMostWait = std::chrono::milliseconds(100);
constexpr auto kBetweenLooks = std::chrono::microseconds(50);

// It may be a helper as far as that tells: members of teams are none.
bool is_of_other_library(std::optional<std::uintptr_t> begins_in) {
  const std::vector<os::OpenMp>& runtimes = os::OpenMp::loaded();
  return begins_in && std::none_of(runtimes.begin(), runtimes.end(),
                                   [&](const os::OpenMp& runtime) { return runtime.start() == *begins_in; });
}

}  // namespace

void Roster::note_helpers() {
  os::list_threads(ids_);
  const os::ThreadOrigins origins;
  static const std::optional<std::uintptr_t> mpi = os::ThreadOrigins::owner_of(kOfMpi);  // once, for it allocates
  static const std::optional<std::uintptr_t> preload = os::ThreadOrigins::owner_of(kOfPreload);
  static const bool is_parted_from_mpi = !os::ThreadOrigins::has_program(kOfMpi);
  const auto helps = [&](pid_t thread) {
    if (is_helper(thread)) return true;
    const std::optional<std::uintptr_t> begins_in = origins.of(thread);
    if (is_parted_from_mpi && mpi && begins_in == mpi) return true;
    if (preload && begins_in == preload) return true;
    if (is_parted_from_mpi && origins.is_program(begins_in)) return false;
    return polls_soon(thread, is_of_other_library(begins_in));
  };
  const auto has_ended = [&](pid_t thread) { return !std::binary_search(ids_.begin(), ids_.end(), thread); };
  std::erase_if(busy_, has_ended);
  std::vector<pid_t> helpers;
  for (const pid_t thread : ids_) {
    if (thread != os::this_thread() && thread != getpid() && helps(thread)) helpers.push_back(thread);
  }
  helpers_ = std::move(helpers);
  threads_.clear();  // the next look lists
}

bool Roster::polls_soon(pid_t thread, bool may_help) {
  const auto place = std::lower_bound(busy_.begin(), busy_.end(), thread);
  const bool waits = may_help && (place == busy_.end() || *place != thread);
  const std::int64_t end_ns = deadline_after(kMostWait);
  const std::int64_t most_ns = waits ? os::cpu_ns_of(thread) + kMostWork_ns : 0;
  os::Sleep sleep = os::sleep_of(thread);
  while (waits && sleep == os::Sleep::none && os::cpu_ns_of(thread) < most_ns && now_ns() < end_ns) {
    std::this_thread::sleep_for(kBetweenLooks);
    sleep = os::sleep_of(thread);
  }
  if (waits && sleep == os::Sleep::none) busy_.insert(place, thread);
  return sleep == os::Sleep::in_poll;
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
