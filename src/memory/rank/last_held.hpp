// SPDX-License-Identifier: BSD-3-Clause
// LastHeld: what places of code held when they were last read: at the end and where the program asks, and while it runs, so that of a rank that is killed
// they are told too. To read them takes long where there are many small blocks, so that is spaced. Not: how they are read (held).
// Invariant: what a later reading found stays, whichever ends last.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/held_mutex.hpp"
#include "memory/component.hpp"
#include "memory/rank/held.hpp"
#include "memory/rank/look_budget.hpp"
#include "memory/rank/own_ledger.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

class LastHeld {
 public:
  // From when on time counts for what readings may take.
  void start(std::int64_t now_ns) noexcept { budget_.start(now_ns); }
  // By any thread. Throws where the kernel does not let it: then what was known before remains.
  void read(const Ledger& ledger);
  // The same by one thread at a time, which holds no lock: where something has come or gone since, and a reading costs no more than its share of the
  // time. Where the kernel does not let it nobody is told, for at the end it is tried once more.
  void read_if_due(const Ledger& ledger, std::int64_t now_ns) noexcept;

  // Whether something was read that add_to() has not told.
  [[nodiscard]] bool has_news() const noexcept { return has_news_.load(std::memory_order_relaxed); }
  // Nothing where nothing was read.
  void add_to(record::Content& content, const Components& components) const;

 private:
  static constexpr std::int64_t kCredit_ns = 10'000'000;
  static constexpr std::int64_t kBytesANanosecond = 2;  // of heaps, half a second a GiB
  static constexpr std::int64_t kEvery_ns = 1'000'000'000;

  [[nodiscard]] bool is_due(const LedgerSums& sums, std::int64_t now_ns) const noexcept;

  mutable HeldMutex mutex_;  // guards what follows; never held while heaps are read
  std::vector<HeldSite> held_;
  std::int64_t time_ns_ = 0;   // when that was read; 0: never
  std::uint64_t reading_ = 0;  // which one it was, in the order of their begins

  std::atomic<std::uint64_t> readings_{0};
  mutable std::atomic<bool> has_news_{false};
  // Of the thread that reads while the program runs.
  LookBudget budget_{kPartOfTime, kCredit_ns, kBytesANanosecond};
  LedgerSums then_{};
  std::int64_t due_ns_ = 0;
  bool is_refused_ = false;
};

inline constexpr const char* kHeldFact = "memory held_ns";  // when kHeldTable was read

}  // namespace comity::memory
