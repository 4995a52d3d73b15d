// SPDX-License-Identifier: BSD-3-Clause
// One line a message on standard error: "comity: warning: [node] message key=value (rank 3, pid 4711)".
// Error: the user must act. Warning: the result may differ. Info: what was decided, once. Debug: each change of a binding.
#pragma once

#include <string_view>

namespace comity::log {

enum class Level : int { error = 0, warning = 1, info = 2, debug = 3 };

// By its word in COMITY_LOG; any other word is `warning`.
[[nodiscard]] Level level_named(std::string_view word);
void set_level(Level level);
void set_rank(int rank);                  // -1: unknown, left out
[[nodiscard]] bool enabled(Level level);  // for messages that cost something to make
void write(Level level, std::string_view area, std::string_view message);

inline void error(std::string_view area, std::string_view message) { write(Level::error, area, message); }
inline void warning(std::string_view area, std::string_view message) { write(Level::warning, area, message); }
inline void info(std::string_view area, std::string_view message) { write(Level::info, area, message); }
inline void debug(std::string_view area, std::string_view message) { write(Level::debug, area, message); }

// The same words once in a process.
void warning_once(std::string_view area, std::string_view message);

}  // namespace comity::log
