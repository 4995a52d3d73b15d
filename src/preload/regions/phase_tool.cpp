// SPDX-License-Identifier: BSD-3-Clause
// The names by which libcomity finds us, to tell of the wide phases of contexts (runtime/phases). Contexts of a fork child are none of the run's.
#include "preload/parts.hpp"
#include "preload/regions/phases.hpp"

// What memory has grown by up to here is of what was before.
template <typename Note>
static void at_border(Note&& note) {
  auto* const run = comity::preload::watched_run();
  if (run != nullptr && run->is_of_parent()) return;
  if (run != nullptr) run->note_memory_at_border();
  note(comity::preload::phases());
}

extern "C" __attribute__((visibility("default"))) void comity_tool_phase_begin(const void* context, const char* text) {
  at_border([&](auto& phases) { phases.begin(context, text); });
}

extern "C" __attribute__((visibility("default"))) void comity_tool_phase_end(const void* context) {
  at_border([&](auto& phases) { phases.end(context); });
}
