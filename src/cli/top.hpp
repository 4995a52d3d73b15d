// SPDX-License-Identifier: BSD-3-Clause
// `comity top`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int top_command(std::span<const std::string> arguments);

}  // namespace comity::cli
