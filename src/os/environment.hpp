// SPDX-License-Identifier: BSD-3-Clause
// The environment of this process. Nothing else in the libraries reads it, but for comity::start (src/start/start.c), which
// is linked into the program and runs before them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::os {

[[nodiscard]] std::optional<std::string> environment(std::string_view name);
[[nodiscard]] std::vector<std::string> environment_names(std::string_view prefix);
[[nodiscard]] std::vector<std::string> environment_entries();  // all of it, as NAME=value

}  // namespace comity::os
