// SPDX-License-Identifier: BSD-3-Clause
// Who called, from the innermost function outwards, by the unwinder of the compiler's runtime: no memory is asked for. It ends where code has
// no tables to unwind by.
#pragma once

#include <cstdint>
#include <type_traits>

namespace comity::os {

enum class Climb : std::uint8_t { on, enough };

// `code`: an address in the instruction that made the call.
using VisitCaller = Climb (*)(std::uintptr_t code, void* with);
void climb_callers(VisitCaller visit, void* with) noexcept;

// Begins with the caller of this.
template <class Visit>
void climb_callers(Visit&& visit) noexcept {
  using Plain = std::remove_reference_t<Visit>;
  climb_callers([](std::uintptr_t code, void* with) { return (*static_cast<Plain*>(with))(code); }, &visit);
}

}  // namespace comity::os
