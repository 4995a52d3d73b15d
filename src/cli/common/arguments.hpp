// SPDX-License-Identifier: BSD-3-Clause
// The words behind a subcommand: read by CLI11, with our own help page, and the nearest known name for an option that
// does not exist. Not: what the options do.
#pragma once

#include <sys/types.h>

#include <CLI/App.hpp>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity::cli {

// The words make no sense: the command ends with kBadUsage.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(Status::argument, message) {}
};

enum ExitCode : int { kGood = 0, kFindings = 1, kBadUsage = 2 };

struct Example {
  std::string_view line;
  std::string_view meaning;
};

// What the help page of a subcommand says beside its options.
struct Manual {
  std::string_view name;
  std::string_view operands;  // as in the usage line
  std::string_view text;      // paragraphs, one line each
  std::span<const Example> examples;
};

enum class Next : std::uint8_t { run, stop };  // stop: a page was asked for and has been printed

// The word after a subcommand that prints its manual page without head and end, which man_page.cpp writes.
inline constexpr std::string_view kManWord = "--man";

class Arguments {
 public:
  explicit Arguments(const Manual& manual);

  // Add options and operands here; they are filled by parse().
  [[nodiscard]] CLI::App& options() { return app_; }
  CLI::Option* add_json_flag(bool& json);
  // Throws UsageError.
  [[nodiscard]] Next parse(std::span<const std::string> words);
  [[nodiscard]] std::string help_text() const;
  [[nodiscard]] std::string man_text() const;  // the same for man: synopsis, description, options, examples

 private:
  void reject_empty(std::span<const std::string> words) const;
  void reject_unknown() const;

  Manual manual_;
  CLI::App app_;
};

// A number that stands alone. Throws UsageError with `takes`, which says what it must be. Not CLI11's own conversion: its
// words name neither the range nor the unit.
template <typename Number>
[[nodiscard]] Number number_in(const std::string& text, Number least, Number most, const std::string& takes) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc{} && rest == end && value >= least && value <= most) return value;
  throw UsageError(takes + ", not " + in_quotes(text));
}

// A process number as ps shows it. Throws UsageError.
[[nodiscard]] pid_t parse_pid(const std::string& text);

// "; did you mean X?", or "" where nothing is near.
[[nodiscard]] std::string hint(std::string_view word, std::span<const std::string_view> known);

}  // namespace comity::cli
