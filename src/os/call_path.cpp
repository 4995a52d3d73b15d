// SPDX-License-Identifier: BSD-3-Clause
#include "os/call_path.hpp"

#include <unwind.h>

namespace comity::os {
namespace {

struct Visitor {
  VisitCaller visit;
  void* with;
};

// A return address is that of the next instruction, which may belong to another function already.
_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  const auto& visitor = *static_cast<const Visitor*>(data);
  int is_before_instruction = 0;
  const std::uintptr_t code = _Unwind_GetIPInfo(context, &is_before_instruction);
  if (code == 0) return _URC_END_OF_STACK;
  const Climb next = visitor.visit(is_before_instruction != 0 ? code : code - 1, visitor.with);
  return next == Climb::on ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void climb_callers(VisitCaller visit, void* with) noexcept {
  Visitor visitor{visit, with};
  (void)_Unwind_Backtrace(&step, &visitor);
}

}  // namespace comity::os
