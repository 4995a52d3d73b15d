// SPDX-License-Identifier: BSD-3-Clause
// The names by which libcomity finds us, to tell of the wide phases of contexts (runtime/phases).
#include "preload/parts.hpp"
#include "preload/regions/phases.hpp"

// What memory has grown by up to here is of what was before.
static void note_border() {
  if (auto* const run = comity::preload::watched_run()) run->note_memory_at_border();
}

extern "C" __attribute__((visibility("default"))) void comity_tool_phase_begin(const void* context, const char* text) {
  note_border();
  comity::preload::phases().begin(context, text);
}

extern "C" __attribute__((visibility("default"))) void comity_tool_phase_end(const void* context) {
  note_border();
  comity::preload::phases().end(context);
}
