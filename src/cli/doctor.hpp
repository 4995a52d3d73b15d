// SPDX-License-Identifier: BSD-3-Clause
// `comity doctor`.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

[[nodiscard]] int doctor_command(std::span<const std::string> arguments);

}  // namespace comity::cli
