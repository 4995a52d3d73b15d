// SPDX-License-Identifier: BSD-3-Clause
// The names by which libcomity finds cooperative waits (runtime/coop_tool): to rest in them, to wake who does, and to hear when
// this rank sleeps there.
#include "coop/tool.hpp"

#define COMITY_TOOL extern "C" __attribute__((visibility("default")))

COMITY_TOOL int comity_tool_coop_at_work() { return comity::coop::is_at_work() ? 1 : 0; }

// 0: waits are not cooperative here; nothing was done.
COMITY_TOOL int comity_tool_coop_wait(int (*over)(void*), void* question, std::int64_t deadline_ns) {
  return comity::coop::wait_for_question(over, question, deadline_ns) ? 1 : 0;
}

COMITY_TOOL void comity_tool_coop_ring() { comity::coop::ring_everybody(); }

COMITY_TOOL void comity_tool_coop_tell_rests(void* (*begins)(), void (*ends)(void*)) {
  comity::coop::hear_of_rests({begins, ends});
}
