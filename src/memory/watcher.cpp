// SPDX-License-Identifier: BSD-3-Clause
#include "memory/watcher.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace comity::memory {

bool is_time_again(std::int64_t now_ns, std::int64_t read_at_ns, std::int64_t cost_ns) {
  constexpr std::int64_t kShare = 100;
  return now_ns - read_at_ns >= (kShare - 1) * cost_ns;
}

Watcher::Watcher(pid_t process, const Components& components, Depth depth, NodePages node_pages)
    : looker_(process, components, node_pages), depth_(depth) {}

void Watcher::glance() {
  if (seen_.ended) return;
  const auto totals = looker_.totals();
  seen_.ended = !totals;
  if (!totals) return;
  seen_.totals = *totals;
  seen_.peak_bytes = std::max({seen_.peak_bytes, totals->peak_resident, totals->resident});
}

void Watcher::look() {
  glance();
  const std::int64_t begin_ns = now_ns();
  if (seen_.ended || depth_ == Depth::totals) return;
  if (seen_.told && !is_time_again(begin_ns, seen_.told_at_ns, seen_.cost_ns)) return;
  auto told = looker_.attribution();
  seen_.ended = !told;
  if (!told) return;
  seen_.told = std::move(told);
  seen_.told_at_ns = now_ns();
  seen_.cost_ns = seen_.told_at_ns - begin_ns;
}

}  // namespace comity::memory
