// SPDX-License-Identifier: BSD-3-Clause
// Which files of libquo have asked the system to call them: at the end of the process (atexit, on_exit, destructors of
// statics), or when a signal comes (signal, sigaction). From the start of the process on, for the program stands before the C
// library where they ask.
#pragma once

#include <string>
#include <vector>

namespace conform {

enum class Event { exit, signal };

// False under sanitizers, which stand there themselves.
[[nodiscard]] bool askers_are_seen();

// The library's that this program calls, and of what that one brings along; each as often as it asked. Who leaves a signal to
// the system, or to nobody, has asked too.
[[nodiscard]] std::vector<std::string> askers_of_libquo(Event event);

}  // namespace conform
