// SPDX-License-Identifier: BSD-3-Clause
// Which options of a launcher take words after them, so that the program is found behind the options. Not: what they do.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/run/family.hpp"

namespace comity::cli::launch {

using IsProgram = std::function<bool(const std::string& word)>;

// The name of an option, without its dashes and what follows a "=".
[[nodiscard]] std::string option_name(const std::string& word);

// How many of `words`, the first of which is an option, belong to it: itself, and its values. An option that no table has
// is taken to have a value, unless the word after it is a program or an option.
[[nodiscard]] std::size_t width_of_option(Family family, std::span<const std::string> words,
                                          const IsProgram& is_program);

// Each option with its values, in order; "--" alone.
[[nodiscard]] std::vector<std::span<const std::string>> split_options(Family family,
                                                                      std::span<const std::string> options,
                                                                      const IsProgram& is_program);

}  // namespace comity::cli::launch
