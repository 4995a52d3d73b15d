// SPDX-License-Identifier: BSD-3-Clause
// A step that may fail in the midst of a collective call, which goes on all the same: the others wait for this rank.
#pragma once

#include <exception>

namespace comity::context {

template <typename Step>
std::exception_ptr failure_of(Step&& step) {
  try {
    step();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

inline void rethrow(const std::exception_ptr& failure) {
  if (failure) std::rethrow_exception(failure);
}

}  // namespace comity::context
