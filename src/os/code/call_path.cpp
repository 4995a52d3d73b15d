// SPDX-License-Identifier: BSD-3-Clause
#include "os/code/call_path.hpp"

#include <unwind.h>

namespace comity::os {
namespace {

#if defined(__x86_64__)
constexpr bool kReturnAddressIsOnStack = true;
#else
constexpr bool kReturnAddressIsOnStack = false;  // of the innermost function, and then where its code has put it
#endif

struct Visitor {
  VisitCaller visit;
  void* with;
};

// A return address is that of the next instruction, which may belong to another function already. It stands below where the stack pointer
// is when the call has returned.
_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  const auto& visitor = *static_cast<const Visitor*>(data);
  int was_interrupted = 0;
  const std::uintptr_t returns_to = _Unwind_GetIPInfo(context, &was_interrupted);
  if (returns_to == 0) return _URC_END_OF_STACK;
  const bool stands_on_stack = kReturnAddressIsOnStack && was_interrupted == 0;
  const Caller caller{.code = was_interrupted != 0 ? returns_to : returns_to - 1,
                      .returns_to = returns_to,
                      .place = stands_on_stack ? _Unwind_GetCFA(context) - sizeof(std::uintptr_t) : 0};
  return visitor.visit(caller, visitor.with) == Climb::on ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void climb_callers(VisitCaller visit, void* with) noexcept {
  Visitor visitor{visit, with};
  (void)_Unwind_Backtrace(&step, &visitor);
}

}  // namespace comity::os
