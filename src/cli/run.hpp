// SPDX-License-Identifier: BSD-3-Clause
// `comity run`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

// Does not return where a program could be started: this process has become it.
[[nodiscard]] int run_command(std::span<const std::string> arguments);

}  // namespace comity::cli
