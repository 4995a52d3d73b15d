// SPDX-License-Identifier: BSD-3-Clause
// `comity topo`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int topo_command(std::span<const std::string> arguments);

}  // namespace comity::cli
