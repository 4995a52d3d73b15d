// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/lines_of_others.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace comity::memory {

bool OthersLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return true;
}

void OthersLines::refuse(const std::string& why) const {
  throw Error(Status::argument, "line " + std::to_string(number_) + ": " + why);
}

double OthersLines::signed_number(std::string_view key, std::string_view value) const {
  constexpr double kMost = 1e12;  // MB, kB, and numbers of ranks
  double number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc{} || end != value.data() + value.size() || !(std::abs(number) <= kMost))
    refuse("\"" + std::string(key) + "\" is no number that can be: \"" + std::string(value) + '"');
  return number;
}

double OthersLines::number(std::string_view key, std::string_view value) const {
  const double number = signed_number(key, value);
  if (number < 0) refuse("\"" + std::string(key) + "\" is no number that can be: \"" + std::string(value) + '"');
  return number;
}

std::string_view OthersLines::trimmed(std::string_view text) {
  constexpr std::string_view kBlank(" \t\r\0", 4);
  const std::size_t start = text.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

}  // namespace comity::memory
