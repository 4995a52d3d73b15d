// SPDX-License-Identifier: BSD-3-Clause
// Regions: told to the tool that is preloaded, if one is. Not: what is made of them (metrics).
#pragma once

#include <string_view>

namespace comity::runtime {

// Of the calling thread. Throw Status::argument and Status::order and have done nothing then.
void begin_region(const char* name);
void end_region();

}  // namespace comity::runtime
