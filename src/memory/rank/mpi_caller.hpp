// SPDX-License-Identifier: BSD-3-Clause
// Which code of the program makes a call of MPI: the innermost functions outside MPI, the C runtime and Comity. Not: what the call does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace comity::memory {

// Innermost first.
struct CallPath {
  static constexpr std::size_t kMost = 4;

  std::array<std::uintptr_t, kMost> code{};  // 0 behind the last one
  std::size_t length = 0;

  friend bool operator==(const CallPath&, const CallPath&) = default;
};

// Inside: in a call of MPI that lasts, which the program makes by a callback, and a tool or the MPI by themselves.
enum class Where : std::uint8_t { outside, inside };

// Asked from inside the call. None: not the program's, but the MPI's own, Comity's, or that of a tool which passes the program's on.
[[nodiscard]] std::optional<CallPath> programs_call(Where where) noexcept;

// The same of one address: nothing in it where that is not the program's code.
[[nodiscard]] CallPath path_at(std::uintptr_t code) noexcept;

}  // namespace comity::memory
