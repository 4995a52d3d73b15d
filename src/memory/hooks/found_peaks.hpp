// SPDX-License-Identifier: BSD-3-Clause
// FoundPeaks: what each component, and all, had when it was looked at because something was about to go, if it had no more since its peaks began,
// and all never: with the moment and the place of the thread, which sums do not know. Not: how much it was at the most (sums).
// Invariant: a reader gets a peak as one look has found it, or none.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/component.hpp"
#include "memory/hooks/sums.hpp"
#include "memory/ledger.hpp"

namespace comity::memory::hooks {

// One that is written by one thread at a time and read by any.
class FoundPeak {
 public:
  constexpr FoundPeak() = default;

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  void set(const LedgerPeak& peak) noexcept;
  // Nothing where it is just being written.
  [[nodiscard]] LedgerPeak read() const noexcept;

 private:
  std::atomic<std::uint32_t> version_{0};  // odd: being written
  std::atomic<std::uint32_t> region_{0};
  std::atomic<std::uint32_t> call_bytes_{0};
  std::atomic<const char*> call_{nullptr};
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<std::int64_t> time_ns_{0};
  std::atomic<std::int64_t> known_{0};
};

class FoundPeaks {
 public:
  constexpr FoundPeaks() = default;

  // Who is asked where a thread is; null: nobody any more. A thread that is just asking still asks who was asked before: so `whom` stays
  // noted, and must outlive all threads.
  void ask(LedgerAsk teller, void* whom) noexcept {
    if (teller != nullptr) whom_.store(whom, std::memory_order_relaxed);
    where_.store(teller, std::memory_order_release);
  }
  // Those of components begin anew, from the next look on.
  void begin() noexcept { begun_.fetch_add(1, std::memory_order_release); }
  // Behind a look, by the thread that looks.
  void note() noexcept;
  [[nodiscard]] std::uint32_t looks() const noexcept { return looks_.load(std::memory_order_acquire); }
  // Whether the kernel's mark of all that was ever resident has risen since that was noted, by so much that it matters.
  [[nodiscard]] bool total_has_risen() const noexcept;

  [[nodiscard]] const FoundPeak& of(Component component) const noexcept {
    return peaks_[static_cast<std::size_t>(component)];
  }
  [[nodiscard]] const FoundPeak& total() const noexcept { return peaks_[kMostComponents]; }

 private:
  [[nodiscard]] LedgerWhere where() const noexcept;
  void drop_those_of_before() noexcept;

  std::array<FoundPeak, kMostComponents + 1> peaks_{};  // of all that is resident behind the components
  std::array<Has, kMostComponents> now_{};              // of note() alone: the program's stack may be small
  std::atomic<std::uint32_t> begun_{0};                 // how often those of components were to begin anew
  std::uint32_t begun_then_ = 0;                        // when it was last noted
  std::atomic<std::uint32_t> looks_{0};                 // release in note(): who sees one sees its peaks
  std::atomic<LedgerAsk> where_{nullptr};
  std::atomic<void*> whom_{nullptr};
  std::atomic<std::int64_t> known_mark_{0};
};

// Of this process.
extern constinit FoundPeaks found_peaks;

}  // namespace comity::memory::hooks
