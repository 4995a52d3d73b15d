// SPDX-License-Identifier: BSD-3-Clause
// QuickCount: what is resident of all, by the kernel's quick count, put right where exact counts have shown that it is off. Kernels from Linux
// 6.2 on count on each CPU and add up late; before, threads counted some pages for themselves. Not: when all mappings are asked (book).
// Invariant: a count that was never seen to be off (is_off) is taken as it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/memory/totals.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// [bytes] Who counts quickly what is resident of all, and may be off with it, and what lies in pages of hugetlbfs beside; null: the kernel, by
// statm and status.
struct TotalSource {
  std::int64_t (*resident)() noexcept = nullptr;
  std::int64_t (*hugetlb)() noexcept = nullptr;
};

// The most that was ever resident, where the kernel's mark comes from a count that is off: what exact counts saw, unless the mark differs from
// that by more than the count was ever off, so that there was more between two of them.
[[nodiscard]] constexpr std::int64_t settled_peak(std::int64_t mark, std::int64_t most_exact, std::int64_t most_off) {
  const std::int64_t apart = mark > most_exact ? mark - most_exact : most_exact - mark;
  return most_exact > 0 && apart <= most_off ? most_exact : (mark > most_exact ? mark : most_exact);
}

// Whether an exact count differs by more from the quick one than looking takes between the two.
inline constexpr std::int64_t kLittleOff_bytes = std::int64_t{2} << 20U;
[[nodiscard]] constexpr bool is_off(std::int64_t off, std::int64_t exact) {
  return (off < 0 ? -off : off) > (exact / 100 > kLittleOff_bytes ? exact / 100 : kLittleOff_bytes);
}

// [bytes] By how much such a kernel may be off with so many CPUs: three counters, each by less than a batch a CPU.
[[nodiscard]] constexpr std::int64_t most_off_with(std::int64_t cpus, std::int64_t page_bytes) {
  constexpr std::int64_t kCounters = 3;
  constexpr std::int64_t kLeastBatch = 32;
  return kCounters * cpus * (2 * cpus > kLeastBatch ? 2 * cpus : kLeastBatch) * page_bytes;
}

// By any thread.
class QuickCount {
 public:
  // Throws where /proc is missing.
  explicit QuickCount(TotalSource source) : source_(source) {}

  // As the kernel tells it; 0 where it does not.
  [[nodiscard]] std::int64_t raw() const noexcept;
  // [bytes] What was off at the last exact count; 0 where the count is taken as it is.
  [[nodiscard]] std::int64_t offset() const noexcept { return offset_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t now() const noexcept { return raw() + offset(); }
  // Of all mappings, which is never off; 0 where the kernel does not tell.
  [[nodiscard]] std::int64_t virtual_now() const noexcept;
  [[nodiscard]] const TotalSource& source() const noexcept { return source_; }

  // An exact count, and what the quick one was before it and is behind it.
  void note_exact(std::int64_t exact, std::int64_t before, std::int64_t behind) noexcept;
  [[nodiscard]] bool is_approximate() const noexcept { return is_approximate_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t most_exact() const noexcept { return most_exact_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t settled(std::int64_t mark) const noexcept;

  [[nodiscard]] record::Table table() const;

 private:
  TotalSource source_;
  os::OwnStatm statm_;
  std::atomic<std::int64_t> offset_{0};
  std::atomic<std::int64_t> most_below_{0};  // by which it was seen to be below the exact one
  std::atomic<std::int64_t> most_above_{0};
  std::atomic<std::int64_t> most_exact_{0};
  std::atomic<std::int64_t> exact_counts_{0};
  std::atomic<bool> is_approximate_{false};
};

// A table of a record (docs/memory.md), of one row.
inline constexpr const char* kQuickCountTable = "memory.quick_count";

}  // namespace comity::memory
