// SPDX-License-Identifier: BSD-3-Clause
// Who of the objects in this process has asked for a call at its end (atexit, on_exit, destructors of statics), from its
// start on: the program stands before the C library where they ask.
#pragma once

#include <string>
#include <vector>

namespace conform {

// False under sanitizers, which stand there themselves.
[[nodiscard]] bool exit_handlers_are_seen();

// Their files, one for each call that is asked for.
[[nodiscard]] std::vector<std::string> owners_of_exit_handlers();

// The file that holds the function of libquo that this program calls.
[[nodiscard]] std::string file_of_libquo();

}  // namespace conform
