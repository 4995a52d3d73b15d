// SPDX-License-Identifier: BSD-3-Clause
// Files that words of a command name.
#pragma once

#include <cstddef>
#include <string>

namespace comity::cli {

// Throws Status::not_found: "read the graph FILE: it cannot be read; check --graph".
[[nodiscard]] std::string read_text_file(const std::string& path, const std::string& what, const std::string& named_by,
                                         std::size_t most_bytes);
// Throws Status::system in the same manner.
void write_text_file(const std::string& path, const std::string& text, const std::string& what,
                     const std::string& named_by);

}  // namespace comity::cli
