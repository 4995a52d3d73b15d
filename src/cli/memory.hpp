// SPDX-License-Identifier: BSD-3-Clause
// `comity memory watch PID..`: whose the memory of running processes is, seen from outside. `comity memory on|off PID..`:
// ranks record it from here on, or do not. `comity memory diff A B`: what one recorded run has more than another. `comity
// memory scaling DIR..`: recorded runs side by side.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int memory_command(std::span<const std::string> words);

}  // namespace comity::cli
