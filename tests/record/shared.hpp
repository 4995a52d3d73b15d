// SPDX-License-Identifier: BSD-3-Clause
// One value in memory that a test shares with the processes it forks; zeroed.
#pragma once

#include "os/files/mapping.hpp"

namespace comity::testing {

template <typename Type>
class Shared {
 public:
  Type& operator*() { return *reinterpret_cast<Type*>(memory_.bytes().data()); }
  Type* operator->() { return &**this; }

 private:
  os::Mapping memory_ = os::Mapping::anonymous(sizeof(Type));
};

}  // namespace comity::testing
