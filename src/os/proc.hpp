// SPDX-License-Identifier: BSD-3-Clause
// The texts of /proc as they are read everywhere: whole files, folders of numbers, lines "Name:\tvalue". A process that ends
// while it is looked at, or may not be looked at, is an ordinary answer. Not: what the texts mean.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::os {

// None where it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const std::string& path);

// None for all but a whole decimal number.
[[nodiscard]] std::optional<int> parse_int(std::string_view text);

// The number that a file begins with; none where it cannot be read, or begins otherwise.
[[nodiscard]] std::optional<int> read_int(const std::string& path);

// The names in a folder that are numbers, ascending; none where it cannot be read.
[[nodiscard]] std::vector<pid_t> numbered_entries(const std::string& folder);
// The same; `refused` tells that the kernel did not let us look.
[[nodiscard]] std::vector<pid_t> numbered_entries(const std::string& folder, bool& refused);

// The value of a "Name:\tvalue" line of a status file; empty where there is none.
[[nodiscard]] std::string_view status_field(std::string_view status, std::string_view name);

// Of the numbers of such a value, between which tabs stand, the first and the last.
[[nodiscard]] std::optional<int> first_number(std::string_view value);
[[nodiscard]] std::optional<int> last_number(std::string_view value);

// What a symbolic link says; none where it cannot be read.
[[nodiscard]] std::optional<std::string> link_text(const std::string& path);

}  // namespace comity::os
