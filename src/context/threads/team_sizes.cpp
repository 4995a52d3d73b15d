// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/team_sizes.hpp"

#include <algorithm>

#include "os/threads/threads.hpp"

namespace comity::context {

TeamSizes::Ticket TeamSizes::set(int threads) {
  Entry entry{kNone, os::this_thread(), {}};
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) entry.former.emplace_back(runtime, runtime.max_threads());
  const Sizes now = entry.former;
  const std::lock_guard lock(mutex_);
  entry.ticket = last_ + 1;
  entries_.push_back(std::move(entry));
  ++last_;
  for (const auto& [runtime, former] : now) runtime.set_threads(threads);
  return last_;
}

TeamSizes::Sizes TeamSizes::take(Ticket ticket) noexcept {
  const std::lock_guard lock(mutex_);
  const auto mine = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.ticket == ticket; });
  if (mine == entries_.end()) return {};
  Entry left = std::move(*mine);
  const auto after = entries_.erase(mine);
  const auto inside =
      std::find_if(after, entries_.end(), [&](const Entry& entry) { return entry.thread == left.thread; });
  if (inside == entries_.end()) return left.thread == os::this_thread() ? std::move(left.former) : Sizes();
  for (auto& found : inside->former) {
    const auto same = std::find_if(left.former.begin(), left.former.end(),
                                   [&](const auto& other) { return other.first == found.first; });
    if (same != left.former.end()) found.second = same->second;  // else it was loaded in the phase that is left now
  }
  return {};
}

void TeamSizes::give_back(Ticket ticket, AfterPhase after) noexcept {
  for (const auto& [runtime, threads] : take(ticket)) {
    if (after == AfterPhase::rest) runtime.rest_team();
    runtime.set_threads(threads);
  }
}

void TeamSizes::forget(Ticket ticket) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.ticket == ticket; });
}

}  // namespace comity::context
