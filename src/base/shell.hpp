// SPDX-License-Identifier: BSD-3-Clause
// Words as a shell reads them back.
#pragma once

#include <string>
#include <vector>

namespace comity {

[[nodiscard]] std::string quoted(const std::string& word);
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace comity
