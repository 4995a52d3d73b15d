// SPDX-License-Identifier: BSD-3-Clause
// Sums: how many bytes each component has, now and at the most. A thread adds to numbers of its own, without a lock, and
// hands them on at each 4 KiB: so what was asked for at the most is right to threads times that. What was resident at the most is as right
// as the looks that told it (ranges, wide parts). When that was, nobody knows here (found_peaks). Fork children and threads that end lose nothing; a signal handler that allocates between two instructions of this may lose the block that it interrupts.
// Invariant: what a component has is its common number and those of all threads' desks, whoever sits there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/component.hpp"

namespace comity::memory::hooks {

// What one thread has not handed on. The next thread takes it over as it is.
struct Desk {
  std::atomic<std::int64_t> tag_bytes{0};                          // of their ends, whosever the blocks are
  std::array<std::atomic<std::int64_t>, kMostComponents> bytes{};  // of small blocks
  std::atomic<std::uint32_t> changes{0};  // how often it has handed on, or a range has come or gone; its thread's alone
  std::atomic<bool> taken{false};

  void note_change() noexcept { changes.store(changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

// Of this thread; null: none yet, or no desk was free.
extern constinit thread_local Desk* my_desk __attribute__((tls_model("initial-exec")));

// What a component has. Peaks are each of its own moment, of the whole run, but for what was resident.
struct Has {
  std::int64_t small_bytes = 0;           // of blocks below 64 KiB, as they were asked for
  std::int64_t range_bytes = 0;           // of larger blocks and mappings, resident or not
  std::int64_t seen_bytes = 0;            // of these, what was resident when they were last looked at
  std::int64_t most_asked_bytes = 0;      // of small and range
  std::int64_t most_resident_bytes = 0;   // of small and seen, without what nobody touched, since it began anew
  std::int64_t untouched_bytes = 0;       // of small, what is not known to be resident
  std::int64_t most_untouched_bytes = 0;  // of them, what was known not to be, at a look
};

// Of a small block: what lies on pages on which neither its tag nor its neighbours' are, so that only the program makes them resident.
[[nodiscard]] constexpr std::int64_t wide_part(std::int64_t block_bytes) noexcept {
  constexpr std::int64_t kPage_bytes = 4096;
  return block_bytes > kPage_bytes ? block_bytes - kPage_bytes : 0;
}

// So little less than its most that a look now is one at the peak.
[[nodiscard]] constexpr bool is_hardly_less(std::int64_t bytes, std::int64_t most_bytes) noexcept {
  constexpr std::int64_t kLittle_bytes = std::int64_t{64} << 10U;
  return bytes + std::max(kLittle_bytes, bytes / 128) >= most_bytes;
}

// Of what is known: less than a 128th and 64 KiB; more; and a MiB too.
enum class Excess : std::uint8_t { none, little, much };

// What is asked of the kernel: what costs little first.
enum class Asked : std::uint8_t { total, heap_too };

// What all of the process has, for whoever settles how much of the wide parts can be resident.
struct Room {
  std::int64_t resident_bytes = 0;  // of all, with pages of hugetlbfs
  std::int64_t heap_bytes = 0;      // of them, in the heap and of no range, as far as it is known
};

class Sums {
 public:
  constexpr Sums() = default;

  // A block that comes or goes, and the tag at its end, which is Comity's. True where the common numbers have changed by it.
  bool add_small(Component component, std::int64_t bytes, std::int64_t tag_bytes) noexcept {
    Desk* const desk = my_desk;
    if (desk == nullptr) return add_without_desk(component, bytes, tag_bytes);
    if (add_here(*desk, component, bytes, tag_bytes)) return false;
    hand_on_here(component);
    return true;
  }
  // The same at this thread's desk. False: it is time for hand_on_here().
  [[nodiscard]] static bool add_here(Desk& desk, Component component, std::int64_t bytes,
                                     std::int64_t tag_bytes) noexcept {
    desk.tag_bytes.store(desk.tag_bytes.load(std::memory_order_relaxed) + tag_bytes, std::memory_order_relaxed);
    std::atomic<std::int64_t>& mine = desk.bytes[static_cast<std::size_t>(component)];
    const std::int64_t now = mine.load(std::memory_order_relaxed) + bytes;
    mine.store(now, std::memory_order_relaxed);
    return now < kHandOn_bytes && now > -kHandOn_bytes;
  }
  [[gnu::noinline]] void hand_on_here(Component component) noexcept;
  // Of what add_small() has: the wide parts of its blocks. They count as resident once it was settled that they are.
  void add_wide(Component component, std::int64_t bytes) noexcept {
    common_[static_cast<std::size_t>(component)].wide.fetch_add(bytes, std::memory_order_relaxed);
  }
  void add_range(Component component, std::int64_t bytes) noexcept;
  void add_seen(Component component, std::int64_t bytes) noexcept;
  // By how much more may be resident than ever seen, if all ranges were.
  [[nodiscard]] Excess excess_over_peak(Component component) const noexcept;
  // Whether, by so much that it matters, if all wide parts were; asked only once enough of them have come since they were settled.
  [[nodiscard]] bool wide_may_exceed_peak(Component component) const noexcept;

  // Whether the component has just begun to have less than its most, which no look has seen, by so much that it matters.
  [[nodiscard]] bool leaves_unseen_peak(Component component) const noexcept;
  // Behind a look, once it is settled.
  void note_looked() noexcept;

  // How much of all that is resident can be wide parts, behind a look at ranges. Nobody asks the kernel where they lie: what is neither of
  // ranges nor of narrower blocks, nor beside both, is shared out among them by their sizes. `room` is asked at the most twice.
  template <typename Ask>
  void settle(Ask&& room) noexcept;
  // [bytes] What is resident and of no block, range or heap: code, data, stacks.
  void set_beside(std::int64_t bytes) noexcept { beside_.store(bytes, std::memory_order_relaxed); }

  // Whether peaks rise.
  void keep_peaks(bool keep) noexcept { drops_peaks_.store(!keep, std::memory_order_relaxed); }
  [[nodiscard]] bool keeps_peaks() const noexcept { return !drops_peaks_.load(std::memory_order_relaxed); }

  // What was resident at the most begins anew with what is now. Gives what it was.
  std::int64_t begin_most_resident(Component component) noexcept;

  [[nodiscard]] Has of(Component component) const noexcept;
  // From one on by the numbers of their components, as many as there is room for.
  void read(std::size_t first, std::span<Has> into) const noexcept;
  // From the library's constructor on: threads that end leave their desks to others.
  void notice_ends_of_threads() noexcept;

 private:
  static constexpr std::int64_t kHandOn_bytes = 4096;
  static constexpr std::size_t kMostDesks = 256;  // more threads than that at once add to the common numbers

  struct Common {
    std::atomic<std::int64_t> small{0};
    std::atomic<std::int64_t> wide{0};     // of small
    std::atomic<std::int64_t> settled{0};  // what wide was when it was last settled
    std::atomic<std::int64_t> most_untouched{0};
    std::atomic<std::int64_t> range{0};
    std::atomic<std::int64_t> seen{0};
    std::atomic<std::int64_t> most_asked{0};
    std::atomic<std::int64_t> most_resident{0};
  };

  [[gnu::cold]] bool add_without_desk(Component component, std::int64_t bytes, std::int64_t tag_bytes) noexcept;
  void hand_on(Component component, std::int64_t bytes) noexcept;
  void hand_on_tags(Desk& desk) noexcept;
  void raise_peaks(Common& common) noexcept;
  [[nodiscard]] Desk* sit_down() noexcept;
  [[nodiscard]] std::span<const Desk> desks_in_use() const noexcept {
    return std::span(desks_).first(desks_used_.load(std::memory_order_acquire));
  }
  // Of small what is not known to be resident.
  [[nodiscard]] std::int64_t untouched(const Common& common) const noexcept;
  [[nodiscard]] std::int64_t resident(const Common& common) const noexcept;
  [[nodiscard]] std::int64_t wide_bytes() const noexcept;
  // What wide parts may have of so much, and in which part of them that comes to.
  [[nodiscard]] std::int64_t left_for_wide(const Room& room) const noexcept;
  void settle_on(double share) noexcept;
  [[nodiscard]] Has in_all(const Common& common, std::int64_t on_desks) const noexcept;

  std::array<Common, kMostComponents> common_{};
  std::array<std::atomic<std::int64_t>, kMostComponents> looked_{};  // what a look saw at the most
  std::array<Desk, kMostDesks> desks_{};
  std::atomic<std::int64_t> beside_{0};
  std::atomic<double> share_{1};  // of settled wide parts that is resident
  std::atomic<bool> drops_peaks_{false};
  std::atomic<std::size_t> desks_used_{0};  // nobody ever sat behind them
};

// The heap is asked for only where the total seems to say that some are not: what was beside may have gone.
template <typename Ask>
void Sums::settle(Ask&& room) noexcept {
  constexpr std::int64_t kLittle_bytes = std::int64_t{256} << 10U;
  const std::int64_t wide = wide_bytes();
  if (wide <= kLittle_bytes) return settle_on(1);
  std::int64_t left = left_for_wide(room(Asked::total));
  if (left + kLittle_bytes < wide) left = std::max(left, left_for_wide(room(Asked::heap_too)));
  settle_on(left + kLittle_bytes >= wide
                ? 1.0
                : static_cast<double>(std::max<std::int64_t>(0, left)) / static_cast<double>(wide));
}

// Of this process.
extern constinit Sums sums;

}  // namespace comity::memory::hooks
