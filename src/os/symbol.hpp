// SPDX-License-Identifier: BSD-3-Clause
// What this process means by a name.
#pragma once

namespace comity::os {

// The first function or object of that name in the program, what is preloaded and what it was linked with; null: none.
[[nodiscard]] void* find_symbol(const char* name);

}  // namespace comity::os
