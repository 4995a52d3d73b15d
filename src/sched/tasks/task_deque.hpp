// SPDX-License-Identifier: BSD-3-Clause
// TaskDeque: the tasks of one hart that have not begun. Its owner pushes and pops the newest at one end, others steal the
// oldest at the other. What is private to the owner costs him no atomic operation; what others may take is told by one word,
// and every change of who may have what is a change of that word.
//   [ oldest .. public .. | .. private .. newest ]      public: oldest .. split, private: split .. bottom
// Invariants: split = oldest + size of the public part; where there is a task, the public part is empty only until the next
// push, pop or offer(); the word never has a value twice, but after 2^32 moves of the split.
// Atomic: std::atomic; a test puts one there that stops at each access.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace comity::sched {

template <typename Task, template <typename> typename Atomic = std::atomic>
class TaskDeque {
 public:
  // `capacity`: to begin with; a power of two.
  explicit TaskDeque(std::size_t capacity = 256) { ring_.store(add_ring(capacity), std::memory_order_relaxed); }
  TaskDeque(const TaskDeque&) = delete;
  TaskDeque& operator=(const TaskDeque&) = delete;

  // By the owner. False where there are kMost of them already, or no memory for more.
  bool push(Task& task) {
    if (bottom_ - oldest_seen_ > mask_) [[unlikely]] {
      if (!make_room()) return false;
    }
    slots_[bottom_ & mask_].store(&task, std::memory_order_relaxed);
    ++bottom_;
    if (public_size() == 0) offer();
    return true;
  }

  // By the owner: the newest; null: none.
  [[nodiscard]] Task* pop() {
    if (bottom_ == split_ && !take_back()) return nullptr;
    --bottom_;
    return slots_[bottom_ & mask_].load(std::memory_order_relaxed);
  }

  // By the owner: others may have half of what is private, if they have nothing.
  // Not inlined, as all that is seldom here: else a push is too large to be.
  [[gnu::noinline]] void offer() {
    if (bottom_ == split_ || public_size() != 0) return;
    const std::uint32_t size = std::min((bottom_ - split_ + 1) / 2, kMostPublic);
    // Who takes sees an empty part until then, and changes nothing. In one order with what idle harts tell of themselves.
    (void)word_.exchange(Word{++moves_, size, split_}.bits(), std::memory_order_seq_cst);  // as in IdleHarts
    split_ += size;
  }

  // By anybody: up to `share` 256ths of what he may have, but one at least, the oldest first. Zero also where another was faster.
  [[nodiscard]] std::size_t steal(std::span<Task*> into, std::uint32_t share = kHalf) {
    std::uint64_t bits = word_.load(std::memory_order_seq_cst);
    const Word seen = Word::of(bits);
    if (seen.size == 0) return 0;
    const std::size_t count =
        std::min<std::size_t>(std::max((seen.size * share + kHalf) / (2 * kHalf), 1U), into.size());
    const Ring& ring = *ring_.load(std::memory_order_acquire);
    // Read before they are ours: where they have been taken or moved by then, the word has changed.
    for (std::size_t i = 0; i < count; ++i) {
      into[i] = ring.slots[(seen.oldest + i) & ring.mask].load(std::memory_order_relaxed);
    }
    const auto taken = static_cast<std::uint32_t>(count);
    const Word left{seen.moves, seen.size - taken, seen.oldest + taken};
    return word_.compare_exchange_strong(bits, left.bits(), std::memory_order_seq_cst) ? count : 0;
  }

  // The same by the owner of `mine`, where it stands then: the oldest is the last to be pushed, and the first to be run.
  [[nodiscard]] std::size_t steal_into(TaskDeque& mine, std::uint32_t share) {
    constexpr std::size_t kMostAtOnce = 32;
    std::array<Task*, kMostAtOnce> found;
    const std::size_t count = steal(found, share);
    for (std::size_t k = count; k-- > 0;) (void)mine.push(*found[k]);
    return count;
  }

  // A guess by anybody but the owner, who knows. In one order with what idle harts tell of themselves.
  [[nodiscard]] bool may_have_public() const { return Word::of(word_.load(std::memory_order_seq_cst)).size != 0; }
  [[nodiscard]] bool empty_for_owner() const { return bottom_ == split_ && public_size() == 0; }

 private:
  static constexpr std::uint32_t kHalf = 128;
  static constexpr unsigned kIndexBits = 20;
  static constexpr unsigned kSizeBits = 12;
  static constexpr std::uint32_t kMostPublic = (1U << kSizeBits) - 1;
  static constexpr std::size_t kMost = std::size_t{1} << (kIndexBits - 1);  // of all, so that indices tell them apart

  struct Word {
    std::uint32_t moves;   // of the split
    std::uint32_t size;    // of the public part
    std::uint32_t oldest;  // index, its low bits

    [[nodiscard]] std::uint64_t bits() const {
      constexpr std::uint64_t kIndices = (1U << kIndexBits) - 1;
      return std::uint64_t{moves} << 32 | std::uint64_t{size} << kIndexBits | (oldest & kIndices);
    }
    [[nodiscard]] static Word of(std::uint64_t bits) {
      return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits >> kIndexBits) & kMostPublic,
              static_cast<std::uint32_t>(bits) & ((1U << kIndexBits) - 1)};
    }
  };

  struct Ring {
    std::size_t mask;  // of an index: a division in every push and pop would cost more than all the rest of them
    std::unique_ptr<Atomic<Task*>[]> slots;
  };

  [[nodiscard]] std::uint32_t public_size() const { return Word::of(word_.load(std::memory_order_relaxed)).size; }

  // Half of what others have not taken yet becomes private again.
  [[gnu::noinline]] bool take_back() {
    std::uint64_t bits = word_.load(std::memory_order_relaxed);
    while (true) {
      const Word seen = Word::of(bits);
      if (seen.size == 0) return false;
      const std::uint32_t back = (seen.size + 1) / 2;
      const Word left{moves_ + 1, seen.size - back, seen.oldest};
      if (word_.compare_exchange_weak(bits, left.bits(), std::memory_order_acq_rel)) {
        ++moves_;
        split_ -= back;
        return true;
      }
    }
  }

  [[gnu::noinline]] bool make_room() {
    oldest_seen_ = split_ - public_size();
    const std::size_t count = bottom_ - oldest_seen_;
    if (count <= mask_) return true;
    if (mask_ + 1 >= kMost) return false;
    const Atomic<Task*>* const old = slots_;
    const std::size_t old_mask = mask_;
    Ring* const ring = try_to_add_ring(2 * (old_mask + 1));
    if (ring == nullptr) return false;
    for (std::uint32_t i = oldest_seen_; i != bottom_; ++i) {
      slots_[i & mask_].store(old[i & old_mask].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    ring_.store(ring, std::memory_order_release);
    return true;
  }

  Ring* try_to_add_ring(std::size_t capacity) noexcept {
    try {
      return add_ring(capacity);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  // Old ones stay: somebody may be reading there.
  Ring* add_ring(std::size_t capacity) {
    rings_.push_back(std::make_unique<Ring>(Ring{capacity - 1, std::make_unique<Atomic<Task*>[]>(capacity)}));
    slots_ = rings_.back()->slots.get();
    mask_ = capacity - 1;
    return rings_.back().get();
  }

  // Of the owner.
  std::uint32_t bottom_ = 0;
  std::uint32_t split_ = 0;
  std::uint32_t moves_ = 0;
  std::uint32_t oldest_seen_ = 0;  // at most the oldest
  std::size_t mask_ = 0;           // of the ring that is in use
  Atomic<Task*>* slots_ = nullptr;
  std::vector<std::unique_ptr<Ring>> rings_;

  alignas(64) Atomic<std::uint64_t> word_{0};
  Atomic<Ring*> ring_{nullptr};
};

}  // namespace comity::sched
