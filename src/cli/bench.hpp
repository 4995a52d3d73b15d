// SPDX-License-Identifier: BSD-3-Clause
// `comity bench NAME`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int bench_command(std::span<const std::string> arguments);

}  // namespace comity::cli
