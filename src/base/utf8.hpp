// SPDX-License-Identifier: BSD-3-Clause
// UTF-8: text of others, which may be anything, made fit to be shown; and cuts that leave letters whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace comity {

// The same text with a "?" for each byte that is no visible letter of UTF-8.
[[nodiscard]] std::string visible(std::string_view text);
// The same of each line; their ends stay.
[[nodiscard]] std::string visible_lines(std::string_view text);
// Whether all of it is.
[[nodiscard]] bool is_visible(std::string_view text);

// As much of its begin, or of its end, as is no longer than that and cuts no letter.
[[nodiscard]] std::string_view begin_of(std::string_view text, std::size_t most_bytes);
[[nodiscard]] std::string_view end_of(std::string_view text, std::size_t most_bytes);
// Its begin and "...", where it is longer than that.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most_bytes);
// A word that somebody wrote, as a message tells it: in quotes, with "\x1b" for a byte that is no visible letter, and not all of it where
// it is long.
[[nodiscard]] std::string in_quotes(std::string_view word);

}  // namespace comity
