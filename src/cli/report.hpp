// SPDX-License-Identifier: BSD-3-Clause
// `comity report`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int report_command(std::span<const std::string> arguments);

}  // namespace comity::cli
