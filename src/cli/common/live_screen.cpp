// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/live_screen.hpp"

#include <algorithm>

namespace comity::cli {

std::string fitted(const std::string& text, std::size_t lines, std::string_view shows_all) {
  std::size_t end = 0;
  std::size_t last_line = 0;
  for (std::size_t line = 0; line < lines; ++line) {
    last_line = end;
    end = text.find('\n', end);
    if (end == std::string::npos || ++end == text.size()) return text;
  }
  return text.substr(0, last_line) + ".. and more: a larger window shows it, or " + std::string(shows_all) + '\n';
}

bool wait_until(os::LiveTerminal& terminal, std::chrono::steady_clock::time_point due,
                const std::function<void()>& redraw) {
  using Why = os::LiveTerminal::Why;
  using std::chrono::milliseconds;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(due - std::chrono::steady_clock::now());
    const auto event = terminal.wait(std::max(left, milliseconds(0)));
    if (event.why == Why::time_is_up && std::chrono::steady_clock::now() >= due) return true;
    if (event.why == Why::asked_to_end || (event.why == Why::key && event.key == 'q')) return false;
    if (event.why == Why::resized) redraw();
  }
}

}  // namespace comity::cli
