// SPDX-License-Identifier: BSD-3-Clause
// The names by which libcomity finds us, to tell of the program's regions (runtime/regions).
#include "preload/parts.hpp"

extern "C" __attribute__((visibility("default"))) void comity_tool_region_begin(const char* name) {
  if (auto* const run = comity::preload::watched_run()) run->region_begin(name);
}

extern "C" __attribute__((visibility("default"))) void comity_tool_region_end() {
  if (auto* const run = comity::preload::watched_run()) run->region_end();
}
