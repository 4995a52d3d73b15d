// SPDX-License-Identifier: BSD-3-Clause
// `comity place`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int place_command(std::span<const std::string> arguments);

}  // namespace comity::cli
