// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/quick_count.hpp"

#include <algorithm>
#include <optional>

#include "memory/rank/written.hpp"
#include "os/kernel.hpp"

namespace comity::memory {
namespace {

void raise(std::atomic<std::int64_t>& most, std::int64_t to) noexcept {
  std::int64_t known = most.load(std::memory_order_relaxed);
  while (to > known && !most.compare_exchange_weak(known, to, std::memory_order_relaxed)) {
  }
}

// What lies between the two quick ones may be right.
std::int64_t off_by(std::int64_t exact, std::int64_t before, std::int64_t behind) noexcept {
  const auto [least, most] = std::minmax(before, behind);
  return exact - std::clamp(exact, least, most);
}

}  // namespace

std::int64_t QuickCount::raw() const noexcept {
  if (source_.resident != nullptr) return source_.resident();
  const std::optional<os::Statm> now = statm_.read();
  return now ? number(now->resident_bytes) : 0;
}

std::int64_t QuickCount::virtual_now() const noexcept {
  const std::optional<os::Statm> now = statm_.read();
  return now ? number(now->virtual_bytes) : 0;
}

// Once it has been off by much nobody takes it as it is any more.
void QuickCount::note_exact(std::int64_t exact, std::int64_t before, std::int64_t behind) noexcept {
  const std::int64_t off = off_by(exact, before, behind);
  raise(most_below_, off);
  raise(most_above_, -off);
  raise(most_exact_, exact);
  exact_counts_.fetch_add(1, std::memory_order_relaxed);
  if (is_off(off, exact)) is_approximate_.store(true, std::memory_order_relaxed);
  if (is_approximate()) offset_.store(off, std::memory_order_relaxed);
}

std::int64_t QuickCount::settled(std::int64_t mark) const noexcept {
  const std::int64_t most_off =
      std::max(most_below_.load(std::memory_order_relaxed), most_above_.load(std::memory_order_relaxed));
  return is_approximate() ? settled_peak(mark, most_exact(), most_off) : mark;
}

record::Table QuickCount::table() const {
  using record::ColumnKind;
  record::Table table(kQuickCountTable,
                      {{"is_approximate", ColumnKind::integer},
                       {"most_below_bytes", ColumnKind::integer},
                       {"most_above_bytes", ColumnKind::integer},
                       {"bound_bytes", ColumnKind::integer},
                       {"exact_counts", ColumnKind::integer},
                       {"most_exact_bytes", ColumnKind::integer}},
                      record::Summarise::no);
  table.add_row({std::int64_t{is_approximate() ? 1 : 0}, most_below_.load(std::memory_order_relaxed),
                 most_above_.load(std::memory_order_relaxed),
                 most_off_with(number(os::online_cpus()), number(os::page_bytes())),
                 exact_counts_.load(std::memory_order_relaxed), most_exact()});
  return table;
}

}  // namespace comity::memory
