// SPDX-License-Identifier: BSD-3-Clause
// Which process of a family this is: a number that a fork child has otherwise than its parent, and that costs no system call.
#pragma once

namespace comity::quo {

[[nodiscard]] int generation() noexcept;

}  // namespace comity::quo
