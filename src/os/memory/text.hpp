// SPDX-License-Identifier: BSD-3-Clause
// What the parsers of this folder share: lines, words, numbers, and what is said of a line that makes no sense.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity::os::memory_text {

constexpr std::string_view kBlanks = " \t";
inline constexpr std::uint64_t kKiB = 1024;

// Takes the first line, without its end, off the text.
inline std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Takes the first word off the line; "" where there is none.
inline std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

inline std::optional<std::uint64_t> number(std::string_view word, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (word.empty() || problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// A product that would not fit is none.
inline std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return a * b;
}

// "   1234 kB" as bytes.
inline std::optional<std::uint64_t> kib(std::string_view value) {
  const auto count = number(next_word(value));
  if (!count || next_word(value) != "kB") return std::nullopt;
  return product(*count, kKiB);
}

[[noreturn]] inline void reject(std::string_view file, std::string_view line) {
  constexpr std::size_t kShown = 60;
  throw Error(Status::system, "read what the kernel says in " + std::string(file) + ": a line makes no sense: \"" +
                                  visible(begin_of(line, kShown)) + "\"; please report it with `uname -r`");
}

}  // namespace comity::os::memory_text
