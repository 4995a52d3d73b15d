// SPDX-License-Identifier: BSD-3-Clause
// `comity env`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int env_command(std::span<const std::string> arguments);

}  // namespace comity::cli
