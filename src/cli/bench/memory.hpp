// SPDX-License-Identifier: BSD-3-Clause
// `comity bench memory`: what knowing whose memory it is costs blocks, messages and a mini-app.
#pragma once

#include <string_view>
#include <vector>

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

// A figure beside the rows of messages of several sizes.
inline constexpr const char* kBytesOfMessage = "bytes";

// What can be measured alone, some of several rows.
[[nodiscard]] std::vector<std::string_view> memory_cases();

[[nodiscard]] Report memory(const Options& options);

}  // namespace comity::cli::bench
