// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/found_peaks.hpp"

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"
#include "memory/hooks/sums.hpp"
#include "os/memory/totals.hpp"

namespace comity::memory::hooks {

constinit FoundPeaks found_peaks;

// A fork child may find it half written by a thread that it does not have: so an odd version is no reason to wait.
void FoundPeak::set(const LedgerPeak& peak) noexcept {
  const std::uint32_t being_written = version_.load(std::memory_order_relaxed) | 1U;
  version_.store(being_written, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  call_.store(peak.where.call, std::memory_order_relaxed);
  call_bytes_.store(peak.where.call_bytes, std::memory_order_relaxed);
  region_.store(peak.where.region, std::memory_order_relaxed);
  bytes_.store(peak.bytes, std::memory_order_relaxed);
  time_ns_.store(peak.time_ns, std::memory_order_relaxed);
  known_.store(peak.known, std::memory_order_relaxed);
  version_.store(being_written + 1, std::memory_order_release);
}

LedgerPeak FoundPeak::read() const noexcept {
  const std::uint32_t version = version_.load(std::memory_order_acquire);
  const LedgerPeak peak{bytes_.load(std::memory_order_relaxed),
                        time_ns_.load(std::memory_order_relaxed),
                        {call_.load(std::memory_order_relaxed), call_bytes_.load(std::memory_order_relaxed),
                         region_.load(std::memory_order_relaxed)},
                        known_.load(std::memory_order_relaxed)};
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_whole = version % 2 == 0 && version_.load(std::memory_order_relaxed) == version;
  return is_whole ? peak : LedgerPeak{};
}

LedgerWhere FoundPeaks::where() const noexcept {
  const LedgerAsk teller = where_.load(std::memory_order_acquire);
  return teller == nullptr ? LedgerWhere{} : teller(whom_.load(std::memory_order_relaxed));
}

void FoundPeaks::drop_those_of_before() noexcept {
  const std::uint32_t begun = begun_.load(std::memory_order_acquire);
  if (begun == begun_then_) return;
  begun_then_ = begun;
  for (std::size_t i = 0; i < kMostComponents; ++i) peaks_[i].set({});
}

void FoundPeaks::note() noexcept {
  drop_those_of_before();
  sums.read(0, now_);
  LedgerPeak now{0, now_ns(), where(), 0};
  std::int64_t known = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    now.bytes = now_[i].small_bytes - now_[i].untouched_bytes + now_[i].seen_bytes;
    known += now.bytes;
    if (now.bytes > peaks_[i].bytes() && is_hardly_less(now.bytes, now_[i].most_resident_bytes)) peaks_[i].set(now);
  }
  now.bytes = static_cast<std::int64_t>(os::own_resident_bytes(os::Hugetlb::left_out).value_or(0));
  now.known = known;
  if (now.bytes > total().bytes()) peaks_[kMostComponents].set(now);
  known_mark_.store(os::own_high_water_bytes(), std::memory_order_relaxed);
  looks_.fetch_add(1, std::memory_order_release);
}

bool FoundPeaks::total_has_risen() const noexcept {
  constexpr std::int64_t kMatters_bytes = std::int64_t{1} << 20U;
  const int error = errno;
  const std::int64_t mark = os::own_high_water_bytes();
  errno = error;
  const std::int64_t known = known_mark_.load(std::memory_order_relaxed);
  return mark > known + std::max(kMatters_bytes, known / 128);
}

}  // namespace comity::memory::hooks
