// SPDX-License-Identifier: BSD-3-Clause
// Who called, from the innermost function outwards, by the unwinder of the compiler's runtime: no memory is asked for. It ends where code has
// no tables to unwind by.
#pragma once

#include <cstdint>
#include <type_traits>

namespace comity::os {

struct Caller {
  std::uintptr_t code;        // in the instruction that made the call
  std::uintptr_t returns_to;  // behind it
  std::uintptr_t place;       // on the stack, where that stands; 0: it stands nowhere
};

enum class Climb : std::uint8_t { on, enough };

using VisitCaller = Climb (*)(const Caller& caller, void* with);
void climb_callers(VisitCaller visit, void* with) noexcept;

// Begins inside this.
template <class Visit>
void climb_callers(Visit&& visit) noexcept {
  using Plain = std::remove_reference_t<Visit>;
  climb_callers([](const Caller& caller, void* with) { return (*static_cast<Plain*>(with))(caller); }, &visit);
}

}  // namespace comity::os
