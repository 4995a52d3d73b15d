// SPDX-License-Identifier: BSD-3-Clause
// Lingerers: harts that have found nothing to do in a scheduler and look there a moment longer before they leave. Who has
// something for them gives it to one, or counts on one to look once more, and asks for no other hart. Not: how long they look (hart).
// Invariants: a hart that was counted on finds that out when it stops, and looks once more; what is given is taken by a lingering
// hart before it stops. All is one word, for each line of memory that goes from hart to hart costs as much as the work itself.
// Gift: a pointer's target, below 2^48. Atomic: std::atomic; a test puts one there that stops at each access.
#pragma once

#include <atomic>
#include <cstdint>

namespace comity::sched {

template <typename Gift, template <typename> typename Atomic = std::atomic>
class Lingerers {
 public:
  // What a hart that stops has to do: run what it was given; else look once more where it was counted on.
  struct End {
    Gift* given = nullptr;
    bool counted_on = false;
  };

  // By a hart, before it looks: at now(), which is no more what this returns when there may be something for it.
  std::uint64_t begin() noexcept { return word_.fetch_add(1, std::memory_order_seq_cst) + 1; }
  [[nodiscard]] std::uint64_t now() const noexcept { return word_.load(std::memory_order_relaxed); }
  // What one of them is about to take, where that tells it; null: nothing.
  [[nodiscard]] static Gift* gift_in(std::uint64_t now) noexcept {
    return reinterpret_cast<Gift*>(static_cast<std::uintptr_t>(now >> kCountBits));
  }
  // By the same.
  [[nodiscard]] End end() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (true) {
      if (word == 0) return {.counted_on = true};
      Gift* const given = gift_in(word);
      const std::uint64_t left = given != nullptr ? count_in(word) : word - 1;
      if (word_.compare_exchange_weak(word, left, std::memory_order_seq_cst)) return {.given = given};
    }
  }

  // Whether one of them takes it.
  [[nodiscard]] bool give(Gift& gift) noexcept {
    // Mostly one lingers. To read that first would fetch the line twice: once to look at, once to write.
    std::uint64_t word = 1;
    while (count_in(word) > 0 && gift_in(word) == nullptr) {
      const std::uint64_t given = std::uint64_t{reinterpret_cast<std::uintptr_t>(&gift)} << kCountBits | (word - 1);
      if (word_.compare_exchange_weak(word, given, std::memory_order_seq_cst)) return true;
    }
    return false;
  }
  // After something has been put where they look: whether one of them sees to it.
  [[nodiscard]] bool count_on_one() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (count_in(word) > 0) {
      if (word_.compare_exchange_weak(word, word - 1, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kCountBits = 16;

  [[nodiscard]] static std::uint64_t count_in(std::uint64_t word) noexcept {
    return word & ((std::uint64_t{1} << kCountBits) - 1);
  }

  Atomic<std::uint64_t> word_{0};  // what was given to one of them; harts that nobody has given to or counted on
};

}  // namespace comity::sched
