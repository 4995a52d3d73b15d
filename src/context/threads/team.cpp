// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/team.hpp"

#include <algorithm>
#include <utility>

#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"

namespace comity::context {

int Team::wanted_size(int cores) const { return std::max(cores, runtime_.max_threads()); }

int Team::outer_members(int cores) const {
  return runtime_.nests() ? std::clamp(runtime_.max_threads(), 1, cores) : cores;
}

bool Team::fits(int size, pid_t caller, const Roster& alive) const {
  if (threads_.size() != static_cast<std::size_t>(size) || threads_.front() != caller) return false;
  return std::all_of(threads_.begin(), threads_.end(), [&](pid_t thread) { return alive.find(thread) != nullptr; });
}

int Team::members() const {
  return static_cast<int>(std::count_if(threads_.begin(), threads_.end(), [](pid_t thread) { return thread != 0; }));
}

void Team::seat(int size, int outer, const CpuSet& mask, Places places) {
  size_ = size;
  outer_ = outer;
  mask_ = mask;
  places_ = std::move(places);
}

void Team::place_from_inside(os::OpenMp::Idle idle) {
  threads_.assign(static_cast<std::size_t>(size_), 0);
  const auto take_place = [&](int index) {
    const auto member = static_cast<std::size_t>(index);
    // A refusal leaves the member on the wide mask that it has already: slower, not wrong.
    (void)os::set_affinity(0, place(member));
    if (member < threads_.size()) threads_[member] = os::this_thread();
  };
  runtime_.run_team(size_, take_place, idle);
}

}  // namespace comity::context
