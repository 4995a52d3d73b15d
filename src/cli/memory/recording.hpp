// SPDX-License-Identifier: BSD-3-Clause
// Recording: ranks that run are asked to record whose their memory is, or not to. Not: how they are found and asked (live).
#pragma once

#include <sys/types.h>

#include <vector>

#include "live/format.hpp"

namespace comity::cli {

// Each in turn, also where another one cannot be asked. kGood where all were.
[[nodiscard]] int ask_to_record(const std::vector<pid_t>& processes, live::Recording wish, bool json);

}  // namespace comity::cli
