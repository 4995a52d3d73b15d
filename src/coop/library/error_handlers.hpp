// SPDX-License-Identifier: BSD-3-Clause
// Whether the program has error handlers of its own: only then it matters which one hears of an error, and how often.
#pragma once

#include <atomic>

namespace comity::coop {

inline constinit std::atomic<bool> any_handler_was_set{false};

[[nodiscard]] inline bool handlers_were_set() { return any_handler_was_set.load(std::memory_order_relaxed); }
inline void note_handlers_were_set() { any_handler_was_set.store(true, std::memory_order_relaxed); }

}  // namespace comity::coop
