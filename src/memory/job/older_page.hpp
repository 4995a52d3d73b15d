// SPDX-License-Identifier: BSD-3-Clause
// What a run of an older tool says by itself: who had most and least, and in which functions MPI's changed. Not: what stands beside ours
// (scaling, comparison).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "memory/job/older_tool.hpp"

namespace comity::memory {

[[nodiscard]] std::string text_of(const OlderRun& run);
[[nodiscard]] nlohmann::ordered_json json_of(const OlderRun& run);

}  // namespace comity::memory
