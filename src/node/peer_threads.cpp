// SPDX-License-Identifier: BSD-3-Clause
#include "node/peer_threads.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"

namespace comity::node {
namespace {

using Masks = std::vector<std::pair<pid_t, CpuSet>>;

bool is_among(const std::vector<pid_t>& ascending, pid_t thread) {
  return std::binary_search(ascending.begin(), ascending.end(), thread);
}

// As many as were listed, and each of those alive: so no other can have been born. Those that are left out are not asked.
std::optional<Masks> masks_if_unchanged(pid_t process, const std::vector<pid_t>& threads,
                                        const std::vector<pid_t>& left_out) {
  if (threads.empty() || os::count_threads_of(process) != threads.size()) return std::nullopt;
  Masks masks;
  for (const pid_t thread : threads) {
    if (is_among(left_out, thread)) continue;
    masks.emplace_back(thread, CpuSet());
    if (os::read_affinity(thread, masks.back().second) != 0) return std::nullopt;
  }
  return masks;
}

// Those that have ended since the listing are not among them.
Masks masks_of(const std::vector<pid_t>& threads, const std::vector<pid_t>& left_out) {
  Masks masks;
  for (const pid_t thread : threads) {
    CpuSet mask;
    if (!is_among(left_out, thread) && os::read_affinity(thread, mask) == 0) masks.emplace_back(thread, mask);
  }
  return masks;
}

}  // namespace

bool PeerThreads::look(pid_t process, const std::vector<pid_t>& left_out, const See& see) {
  const std::lock_guard lock(mutex_);
  std::vector<pid_t>& known = known_[process];
  std::optional<Masks> masks = masks_if_unchanged(process, known, left_out);
  if (!masks) {
    if (os::list_threads_of(process, known) != 0) {
      known_.erase(process);
      return false;
    }
    masks = masks_of(known, left_out);
  }
  for (const auto& [thread, mask] : *masks) see(thread, mask);
  return true;
}

}  // namespace comity::node
