// SPDX-License-Identifier: BSD-3-Clause
// What a record keeps of the environment that a run was started in: variables that say how it ran, by a list of their prefixes,
// and never one whose name sounds like a secret. Others read records.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comity::record {

[[nodiscard]] bool is_kept(std::string_view variable);

// The facts of `entries`, each NAME=value, in at most `most_bytes`: what matters most first, long values cut, and the fact
// "environment" says what found no room.
[[nodiscard]] std::map<std::string, std::string> environment_facts(std::span<const std::string> entries,
                                                                   std::size_t most_bytes);

// A launcher's command as a shell reads it back. Of variables that it sets (NAME=value, -genv NAME value) and that are not
// kept the value is "(hidden)".
[[nodiscard]] std::string launcher_line(std::span<const std::string> words);

// A text in letters that no launcher takes for signs of its own, and back.
[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace comity::record
