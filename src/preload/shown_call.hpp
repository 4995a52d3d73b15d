// SPDX-License-Identifier: BSD-3-Clause
// The name of a call that a thread is shown in on this process's live page.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpose/function.hpp"
#include "live/format.hpp"

namespace comity::preload {

// "": in none. Whoever may write to the page may write anything there.
[[nodiscard]] inline std::string_view shown_call(std::uint32_t call) noexcept {
  const bool is_one = call != live::kOutside && call <= interpose::kFunctions;
  return is_one ? interpose::kFacts[call - 1].name : std::string_view();
}

}  // namespace comity::preload
