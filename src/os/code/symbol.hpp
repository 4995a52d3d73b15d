// SPDX-License-Identifier: BSD-3-Clause
// What this process means by a name, and by an address.
#pragma once

#include <cstdint>
#include <string>

namespace comity::os {

// The first function or object of that name in the program, what is preloaded and what it was linked with; null: none.
[[nodiscard]] void* find_symbol(const char* name);

// "program+0x1234 (function+0x10)": where in which file the code at an address comes from, as addr2line takes it, and the
// function where the file exports it. The address itself where no file is known.
[[nodiscard]] std::string describe_address(const void* address);

// As describe_address writes it: "0x1234".
[[nodiscard]] std::string hexadecimal(std::uintptr_t number);

}  // namespace comity::os
