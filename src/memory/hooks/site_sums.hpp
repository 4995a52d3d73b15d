// SPDX-License-Identifier: BSD-3-Clause
// SiteSums: how many bytes each site has, now and at the most, and how often it asked, where call paths are told: else
// nothing is counted. What was asked for before is not known: a site may have less than nothing. Not: sums by component (sums).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "memory/hooks/code/sites.hpp"

namespace comity::memory::hooks {

class SiteSums {
 public:
  struct Has {
    std::int64_t bytes = 0;
    std::int64_t most_bytes = 0;
    std::int64_t asked_bytes = 0;  // in all
    std::int64_t times = 0;
  };

  constexpr SiteSums() = default;

  void begin() noexcept { is_on_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  // Whether peaks rise.
  void keep_peaks(bool keep) noexcept { drops_peaks_.store(!keep, std::memory_order_relaxed); }

  // A block, a mapping or a part of it has come or gone.
  void add(SiteNumber site, std::int64_t bytes) noexcept {
    if (is_on()) add_now(counts_[site], bytes);
  }
  // That was asked for; of what is moved or resized again.
  void count_request(SiteNumber site, std::uint64_t bytes) noexcept {
    if (!is_on()) return;
    counts_[site].asked.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
    counts_[site].times.fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] Has of(SiteNumber site) const noexcept {
    const Counts& counts = counts_[site];
    return {counts.now.load(std::memory_order_relaxed), counts.most.load(std::memory_order_relaxed),
            counts.asked.load(std::memory_order_relaxed), counts.times.load(std::memory_order_relaxed)};
  }

 private:
  struct Counts {
    std::atomic<std::int64_t> now{0};
    std::atomic<std::int64_t> most{0};
    std::atomic<std::int64_t> asked{0};
    std::atomic<std::int64_t> times{0};
  };

  void add_now(Counts& counts, std::int64_t bytes) noexcept {
    const std::int64_t now = counts.now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (drops_peaks_.load(std::memory_order_relaxed)) return;
    std::int64_t most = counts.most.load(std::memory_order_relaxed);
    while (now > most && !counts.most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
  }

  std::array<Counts, kMostSites> counts_{};
  std::atomic<bool> is_on_{false};
  std::atomic<bool> drops_peaks_{false};
};

// Of this process.
extern constinit SiteSums site_sums;

}  // namespace comity::memory::hooks
