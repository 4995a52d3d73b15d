// SPDX-License-Identifier: BSD-3-Clause
// What a component has got since a moment.
#pragma once

#include <thread>

#include "memory/hooks/ledger_of.hpp"

namespace comity::memory {

inline constexpr std::size_t kMega = std::size_t{1} << 20U;

// As seen from its construction on.
class Since {
 public:
  explicit Since(const char* component) : name_(component), before_(sum_of(component)) {}
  [[nodiscard]] std::int64_t small() const { return sum_of(name_).small - before_.small; }
  [[nodiscard]] std::int64_t ranges() const { return sum_of(name_).ranges - before_.ranges; }
  [[nodiscard]] std::int64_t seen() const { return sum_of(name_).seen - before_.seen; }
  [[nodiscard]] std::int64_t all() const { return small() + ranges(); }

 private:
  const char* name_;
  LedgerSum before_;
};

inline void look_now() {
  while (ledger().look(1) == 0) std::this_thread::yield();
}

inline void touch(void* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 512) static_cast<volatile char*>(block)[i] = 1;
}

}  // namespace comity::memory
