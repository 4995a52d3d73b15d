// SPDX-License-Identifier: BSD-3-Clause
// What commands share that show a table anew until somebody ends them: as much of it as the window has lines for, and the
// wait for the next one.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "os/terminal.hpp"

namespace comity::cli {

// As many lines as the window has; where there are more, the last one says so, and what shows all of them.
[[nodiscard]] std::string fitted(const std::string& text, std::size_t lines, std::string_view shows_all);

// Until then, or a moment after it; draws again where the window changes. False: the user wants to end.
[[nodiscard]] bool wait_until(os::LiveTerminal& terminal, std::chrono::steady_clock::time_point due,
                              const std::function<void()>& redraw);

}  // namespace comity::cli
