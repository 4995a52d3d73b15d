// SPDX-License-Identifier: BSD-3-Clause
// The ledger of this process, and what a component has of it.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string_view>

#include "memory/ledger.hpp"

namespace comity::memory {

inline const Ledger& ledger() {
  static const auto* const found = [] {
    void* const function = ::dlsym(RTLD_DEFAULT, kLedgerName);
    return function == nullptr ? nullptr : reinterpret_cast<LedgerFunction>(function)();
  }();
  if (found == nullptr) std::abort();  // the library is not preloaded
  return *found;
}

inline std::uint32_t number_of(std::string_view name) {
  for (std::uint32_t i = 0; i < ledger().components(); ++i) {
    if (ledger().name(i) == name) return i;
  }
  ADD_FAILURE() << "there is no component " << name;
  return 0;
}

inline LedgerSum sum_of(std::string_view name) {
  LedgerSum sum{};
  ledger().sum(number_of(name), &sum);
  return sum;
}

}  // namespace comity::memory
