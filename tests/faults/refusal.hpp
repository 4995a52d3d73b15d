// SPDX-License-Identifier: BSD-3-Clause
// Refusal: from here on the kernel refuses one system call of this process with an error of our choice (seccomp), for
// good and for all its threads and children.
#pragma once

#include <cstdint>
#include <optional>

namespace comity::testing {

// Of a system call's arguments; its low half is compared.
struct Argument {
  std::uint32_t index;  // from 0
  std::uint32_t value;
};

struct Refusal {
  int system_call;                                 // SYS_...
  int error;                                       // errno of the refusal
  std::optional<Argument> only_if = std::nullopt;  // only calls with this argument
};

// False where the kernel or the container lets us set no filter.
[[nodiscard]] bool refuse(const Refusal& refusal);

}  // namespace comity::testing
