// SPDX-License-Identifier: BSD-3-Clause
// StackPool: the stacks of a process's fibers, each with its fiber at the upper end, taken and given back without a call to the
// kernel. Invariant: made = in use + kept by harts + kept here. What was made is kept until the pool ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "os/code/fault_message.hpp"
#include "os/threads/stack_area.hpp"
#include "sched/fibers/fiber.hpp"

namespace comity::sched {

// Those of one hart: the one given back last, warm in its cache, is taken first.
struct StackShelf {
  Fiber* first = nullptr;
  std::size_t count = 0;
};

struct StackCount {
  std::size_t made = 0;
  std::size_t in_use = 0;
  std::size_t most_in_use = 0;
};

class StackPool {
 public:
  static constexpr std::size_t kSmallestStack = std::size_t{16} * 1024;  // [bytes]
  // Beyond so many guards by mprotect a stack has a canary: each takes two mappings, of 65,530 that a process may have.
  static constexpr std::size_t kMostProtected = 16'000;

  // Throws Status::range for a size below kSmallestStack. `guards`: light ones where the kernel has them, if none are named.
  explicit StackPool(std::size_t stack_bytes);
  StackPool(std::size_t stack_bytes, os::StackGuards guards, std::size_t most_protected = kMostProtected);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // A fiber that begins in `start` when it is switched to. Throws Status::memory where no more stacks can be had.
  [[nodiscard]] Fiber& take(StackShelf& shelf, Start start) {
    if (shelf.first == nullptr) [[unlikely]]
      refill(shelf);
    Fiber& fiber = *shelf.first;
    shelf.first = fiber.next;
    --shelf.count;
    fiber.prepare(fiber.stack_low, &fiber, start, floats_);
    return fiber;
  }

  // Nothing runs on it any more.
  void give(StackShelf& shelf, Fiber& fiber) noexcept {
    if (fiber.canary != nullptr) [[unlikely]]
      check_canary(fiber);
    forget_stack(fiber.notes);
    fiber.next = shelf.first;
    shelf.first = &fiber;
    if (++shelf.count > kMostKept) [[unlikely]]
      spill(shelf);
  }

  // The same, of a fiber that has run on another hart, whose cache has it: fetched now, and not the next one that is taken, it is
  // there by the time that it is.
  void give_from_elsewhere(StackShelf& shelf, Fiber& fiber) noexcept {
    if (shelf.first == nullptr) {
      give(shelf, fiber);
      return;
    }
    fiber.fetch();
    Fiber& first = *shelf.first;
    shelf.first = first.next;
    --shelf.count;
    give(shelf, fiber);
    first.next = shelf.first;
    shelf.first = &first;
    ++shelf.count;
  }

  // All of a shelf's, when its hart ends.
  void empty(StackShelf& shelf) noexcept;

  [[nodiscard]] StackCount count() const;  // stacks on shelves count as in use
  [[nodiscard]] std::size_t stack_bytes() const { return stack_bytes_; }
  [[nodiscard]] os::StackGuards guards() const;  // of the next stacks

  // All fibers that have been made, in use or not.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Area* area = areas_.load(std::memory_order_acquire); area != nullptr; area = next_of(*area)) {
      for (Fiber* const fiber : fibers_of(*area)) visit(*fiber);
    }
  }

  // The fiber in whose guard that address is; null: none. Safe in a signal handler.
  [[nodiscard]] const Fiber* fiber_over(const void* address) const noexcept;

 private:
  static constexpr std::size_t kMostKept = 512;  // on a shelf
  static constexpr std::size_t kBatch = 32;      // moved between a shelf and here
  struct Area;
  [[nodiscard]] static const Area* next_of(const Area& area) noexcept;
  [[nodiscard]] static std::span<Fiber* const> fibers_of(const Area& area) noexcept;

  void refill(StackShelf& shelf);
  void spill(StackShelf& shelf) noexcept;
  void make_area();
  static void check_canary(const Fiber& fiber) noexcept;

  const std::size_t stack_bytes_;
  const os::StackGuards wanted_guards_;
  const std::size_t most_protected_;
  const FloatControl floats_ = floats_now();  // that fibers begin with: of who made the pool
  mutable std::mutex mutex_;                  // what follows
  std::atomic<Area*> areas_{nullptr};         // read by signal handlers too
  Fiber* kept_ = nullptr;
  std::size_t kept_count_ = 0;
  std::size_t made_ = 0;
  std::size_t most_in_use_ = 0;
};

// "the stack of fiber 7 (solver) ran over: ..."; returns its length in bytes. Safe in a signal handler.
[[nodiscard]] std::size_t describe_overflow(const Fiber& fiber, std::span<char> text) noexcept;

// The check of a stack without a guard, at each switch away from it: ends the process with a message.
inline constexpr std::uint64_t kCanary = 0xc0'31'7b'5a'6d'1e'f4'29;
void end_of_overflow [[noreturn]] (const Fiber& fiber) noexcept;
inline void check_stack(const Fiber& fiber) noexcept {
  if (fiber.canary != nullptr && *fiber.canary != kCanary) [[unlikely]]
    end_of_overflow(fiber);
}

// While it lives, a fiber whose stack runs over is named before the process ends.
class OverflowMessage {
 public:
  explicit OverflowMessage(const StackPool& pool);

 private:
  os::FaultMessage message_;
};

}  // namespace comity::sched
