// SPDX-License-Identifier: BSD-3-Clause
// Sums: how many bytes each component has, now and at the most. A thread adds to numbers of its own, without a lock, and
// hands them on at each 4 KiB: so a peak is right to threads times that. Fork children and threads that
// end lose nothing; a signal handler that allocates between two instructions of this may lose the block that it interrupts.
// Invariant: what a component has is its common number and those of all threads' desks, whoever sits there.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/component.hpp"

namespace comity::memory::hooks {

// What one thread has not handed on. The next thread takes it over as it is.
struct Desk {
  std::array<std::atomic<std::int64_t>, kMostComponents> bytes{};  // of small blocks
  std::atomic<bool> taken{false};
};

// Of this thread; null: none yet, or no desk was free.
extern constinit thread_local Desk* my_desk __attribute__((tls_model("initial-exec")));

// What a component has. Peaks are of the whole run, each of its own moment.
struct Has {
  std::int64_t small_bytes = 0;          // of blocks below 64 KiB, as they were asked for
  std::int64_t range_bytes = 0;          // of larger blocks and mappings, resident or not
  std::int64_t seen_bytes = 0;           // of these, what was resident when they were last looked at
  std::int64_t most_asked_bytes = 0;     // of small and range
  std::int64_t most_resident_bytes = 0;  // of small and seen
};

class Sums {
 public:
  constexpr Sums() = default;

  void add_small(Component component, std::int64_t bytes) noexcept {
    Desk* const desk = my_desk;
    if (desk == nullptr) return add_without_desk(component, bytes);
    std::atomic<std::int64_t>& mine = desk->bytes[static_cast<std::size_t>(component)];
    const std::int64_t now = mine.load(std::memory_order_relaxed) + bytes;
    if (now < kHandOn_bytes && now > -kHandOn_bytes) return mine.store(now, std::memory_order_relaxed);
    mine.store(0, std::memory_order_relaxed);
    hand_on(component, now);
  }
  void add_range(Component component, std::int64_t bytes) noexcept;
  void add_seen(Component component, std::int64_t bytes) noexcept;
  // Whether more may be resident than ever seen, if all ranges were, by so much that it matters.
  [[nodiscard]] bool may_exceed_peak(Component component) const noexcept;

  // Whether peaks rise.
  void keep_peaks(bool keep) noexcept { drops_peaks_.store(!keep, std::memory_order_relaxed); }

  [[nodiscard]] Has of(Component component) const noexcept;
  // The first ones, by the numbers of their components, as many as there is room for.
  void read(std::span<Has> into) const noexcept;
  // From the library's constructor on: threads that end leave their desks to others.
  void notice_ends_of_threads() noexcept;

 private:
  static constexpr std::int64_t kHandOn_bytes = 4096;
  static constexpr std::size_t kMostDesks = 256;  // more threads than that at once add to the common numbers

  struct Common {
    std::atomic<std::int64_t> small{0};
    std::atomic<std::int64_t> range{0};
    std::atomic<std::int64_t> seen{0};
    std::atomic<std::int64_t> most_asked{0};
    std::atomic<std::int64_t> most_resident{0};
  };

  void add_without_desk(Component component, std::int64_t bytes) noexcept;
  void hand_on(Component component, std::int64_t bytes) noexcept;
  void raise_peaks(Common& common) noexcept;
  [[nodiscard]] Desk* sit_down() noexcept;
  [[nodiscard]] std::span<const Desk> desks_in_use() const noexcept {
    return std::span(desks_).first(desks_used_.load(std::memory_order_acquire));
  }
  [[nodiscard]] Has in_all(const Common& common, std::int64_t on_desks) const noexcept;

  std::array<Common, kMostComponents> common_{};
  std::array<Desk, kMostDesks> desks_{};
  std::atomic<bool> drops_peaks_{false};
  std::atomic<std::size_t> desks_used_{0};  // nobody ever sat behind them
};

// Of this process.
extern constinit Sums sums;

}  // namespace comity::memory::hooks
