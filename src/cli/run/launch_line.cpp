// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/launch_line.hpp"

#include <algorithm>

namespace comity::cli::launch {
namespace {

constexpr const char* kNextProgram = ":";  // of all launchers here, also among a program's arguments
constexpr const char* kEndOfOptions = "--";

Part part_of(Family family, std::span<const std::string> words, const IsProgram& is_program) {
  std::size_t start = 0;
  while (start < words.size() && words[start].starts_with('-')) {
    if (words[start] == kEndOfOptions) {
      ++start;
      break;
    }
    start += width_of_option(family, words.subspan(start), is_program);
  }
  const auto border = words.begin() + static_cast<std::ptrdiff_t>(start);
  return {{words.begin(), border}, {border, words.end()}};
}

}  // namespace

LaunchLine take_apart(Family family, const std::vector<std::string>& words, const IsProgram& is_program) {
  LaunchLine line{family, words.at(0), {}};
  auto begin = words.begin() + 1;
  while (true) {
    const auto end = std::find(begin, words.end(), kNextProgram);
    line.parts.push_back(part_of(family, {begin, end}, is_program));
    if (end == words.end()) return line;
    begin = end + 1;
  }
}

std::vector<std::string> put_together(const LaunchLine& line) {
  std::vector<std::string> words{line.launcher};
  for (const Part& part : line.parts) {
    if (&part != &line.parts.front()) words.emplace_back(kNextProgram);
    words.insert(words.end(), part.options.begin(), part.options.end());
    words.insert(words.end(), part.program.begin(), part.program.end());
  }
  return words;
}

}  // namespace comity::cli::launch
