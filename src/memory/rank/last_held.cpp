// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/last_held.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::memory {
namespace {

std::int64_t bytes_in_heaps(const LedgerSums& sums) {
  std::int64_t bytes = 0;
  for (const LedgerSum& sum : sums) bytes += sum.small;
  return bytes;
}

// Comity's own changes with each look.
bool holds_the_same(const LedgerSums& now, const LedgerSums& then) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (static_cast<Component>(i) == Component::comity) continue;
    if (now[i].small != then[i].small || now[i].ranges != then[i].ranges) return false;
  }
  return true;
}

}  // namespace

void LastHeld::read(const Ledger& ledger) {
  const std::uint64_t reading = readings_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::int64_t time_ns = now_ns();
  std::vector<HeldSite> found = held_now(ledger);
  const std::lock_guard lock(mutex_);
  if (reading < reading_) return;
  held_ = std::move(found);
  time_ns_ = time_ns;
  reading_ = reading;
  has_news_.store(true, std::memory_order_relaxed);
}

bool LastHeld::is_due(const LedgerSums& sums, std::int64_t now_ns) const noexcept {
  return !is_refused_ && now_ns >= due_ns_ && !holds_the_same(sums, then_) &&
         budget_.can_pay(now_ns, 1, bytes_in_heaps(sums));
}

void LastHeld::read_if_due(const Ledger& ledger, std::int64_t now_ns) noexcept {
  const LedgerSums sums = sums_of(&ledger);
  if (!is_due(sums, now_ns)) return;
  const std::int64_t begin_ns = os::thread_cpu_ns();
  try {
    read(ledger);
  } catch (const std::exception&) {
    is_refused_ = true;
  }
  budget_.pay(os::thread_cpu_ns() - begin_ns, bytes_in_heaps(sums));
  then_ = sums;
  due_ns_ = now_ns + kEvery_ns;
}

void LastHeld::add_to(record::Content& content, const Components& components) const {
  const std::lock_guard lock(mutex_);
  has_news_.store(false, std::memory_order_relaxed);
  if (held_.empty()) return;
  content.tables.emplace(kHeldTable, held_table(held_, components));
  content.facts[kHeldFact] = std::to_string(time_ns_);
}

}  // namespace comity::memory
