// SPDX-License-Identifier: BSD-3-Clause
// The few words of roff that a manual page needs. Not: what a page says.
// Invariant: whatever the text, it comes out as it is; no character of it is taken for a request or an escape.
#pragma once

#include <string>
#include <string_view>

namespace comity::cli::roff {

[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string italic(std::string_view text);

// The first line: `number` is the manual's section, `version` stands in the foot.
[[nodiscard]] std::string title(std::string_view name, char number, std::string_view version);
[[nodiscard]] std::string section(std::string_view name);
[[nodiscard]] std::string paragraphs(std::string_view lines);                       // one of each line
[[nodiscard]] std::string item(std::string_view roff_term, std::string_view text);  // a term, its text indented below

}  // namespace comity::cli::roff
