// SPDX-License-Identifier: BSD-3-Clause
// `comity bench memory`: what knowing whose memory it is costs blocks, messages and a mini-app.
#pragma once

#include "cli/bench/options.hpp"
#include "cli/bench/report.hpp"

namespace comity::cli::bench {

// A figure beside the rows of messages of several sizes.
inline constexpr const char* kBytesOfMessage = "bytes";

[[nodiscard]] Report memory(const Options& options);

}  // namespace comity::cli::bench
