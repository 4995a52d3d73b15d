// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of the substrate become codes here, and codes of callbacks exceptions on their way through it.
#pragma once

#include <comity/error.h>

#include <exception>
#include <type_traits>

#include "base/c_call.hpp"
#include "sched/waiter.hpp"

namespace comity::capi::sched {

// What a callback returned in place of COMITY_OK.
struct Failed {
  comity_status status;
};

inline void succeed(comity_status status) {
  if (status != COMITY_OK) throw Failed{status};
}

// Inlined, as what is looked at first in a call is: a task takes four of them, and little more than they do.
template <typename Call>
[[gnu::always_inline]] inline comity_status guard(Call&& call) noexcept {
  try {
    call();
    return COMITY_OK;
  } catch (const Failed& failed) {
    return failed.status;
  } catch (const std::exception&) {
    return static_cast<comity_status>(status_in_handler(comity_report_failure));
  }
}

// The same for a call that may wait: `from` is where the program called it, for who has to say what waits where.
template <typename Call>
[[gnu::always_inline]] inline comity_status guard_wait(const void* from, Call&& call) noexcept {
  const comity::sched::CalledFrom called(from);
  return guard(call);
}

// The pointer's target; throws Status::argument naming the parameter.
template <typename T>
T& required(T* pointer, const char* parameter) {
  if (pointer == nullptr) [[unlikely]]
    refuse_null(parameter, std::is_function_v<T> ? "a function" : "an object");
  return *pointer;
}

}  // namespace comity::capi::sched
