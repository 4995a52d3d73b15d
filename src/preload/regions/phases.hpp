// SPDX-License-Identifier: BSD-3-Clause
// Phases: the wide phases of contexts that this process is in, as libcomity tells of them. Each text has a number, which may be asked for
// anywhere. Not: regions, which are a thread's. Invariant: phases of one context end innermost first, of several in any order.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/held_mutex.hpp"
#include "memory/rank/growth.hpp"

namespace comity::preload {

class Phases {
 public:
  static constexpr std::size_t kMostTexts = 64;  // a program has few kinds of phases
  static constexpr std::size_t kLongest_bytes = 63;
  static constexpr std::size_t kDeepest = 64;  // open ones; those beyond are not told

  constexpr Phases() = default;
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;

  void begin(const void* context, const char* text) noexcept;
  void end(const void* context) noexcept;

  // Of the innermost one; 0: in none. Asked inside malloc too.
  [[nodiscard]] memory::PhaseNumber current() const noexcept { return current_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string text(memory::PhaseNumber phase) const;  // "" of 0

 private:
  static constexpr memory::PhaseNumber kOthers = kMostTexts + 1;

  struct Open {
    const void* context = nullptr;
    memory::PhaseNumber phase = 0;
  };
  struct Text {
    std::array<char, kLongest_bytes + 1> letters{};  // with a zero at the end
  };
  [[nodiscard]] memory::PhaseNumber number_of(const char* text) noexcept;
  void tell_innermost() noexcept;

  mutable HeldMutex mutex_;  // guards all below but what is atomic
  std::array<Text, kMostTexts> texts_{};
  std::size_t text_count_ = 0;
  std::array<Open, kDeepest> open_{};
  std::size_t depth_ = 0;
  std::size_t beyond_ = 0;  // open ones that are not told, taken for those that end first
  std::atomic<memory::PhaseNumber> current_{0};
};

// Of this process; lives as long as it.
[[nodiscard]] Phases& phases() noexcept;

}  // namespace comity::preload
