// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/screen.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace comity::cli {
namespace {

constexpr std::array<std::string_view, 5> kColourCodes{"1", "2", "32", "33", "31"};

std::string cut(const std::string& text, std::size_t columns) {
  if (text.size() <= columns) return text;
  return text.substr(0, columns > 2 ? columns - 2 : 0) + "..";
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

}  // namespace

bool Screen::moves_a_cursor(const Lookup& lookup) {
  return lookup("TERM").value_or("dumb") != "dumb" && ::isatty(STDOUT_FILENO) == 1;
}

Screen Screen::of_standard_output(const Lookup& lookup) {
  const bool forbidden = !lookup("NO_COLOR").value_or("").empty();
  return Screen(!forbidden && moves_a_cursor(lookup));
}

std::string Screen::paint(Colour colour, std::string_view text) const {
  if (!coloured_) return std::string(text);
  const std::string_view code = kColourCodes[static_cast<std::size_t>(colour)];
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string wrap(std::string_view text, std::size_t indent) {
  std::string lines;
  std::string line(indent, ' ');
  bool fresh = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!fresh && line.size() + 1 + word.size() > kColumns) {
      lines += line + '\n';
      line.assign(indent, ' ');
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
  }
  return lines + line + '\n';
}

std::string at_column(std::string left, std::size_t column, std::string_view right) {
  if (right.empty()) return left;
  left.append(left.size() + 2 > column ? 2 : column - left.size(), ' ');
  return left += right;
}

std::string shorten_list(std::string_view list, std::size_t columns) {
  if (list.size() <= columns) return std::string(list);
  const std::string_view last = list.substr(list.rfind(',') + 1);
  const std::size_t room = columns > last.size() + 3 ? columns - last.size() - 3 : 0;
  const std::size_t end = room == 0 ? std::string_view::npos : list.rfind(',', room - 1);
  const std::string_view start = end == std::string_view::npos ? "" : list.substr(0, end + 1);
  return std::string(start) + ".." + (list.find(',') == std::string_view::npos ? "" : ",") + std::string(last);
}

std::string without_folder(const std::string& command) {
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::size_t slash = command.substr(0, end).rfind('/');
  return slash == std::string::npos ? command : command.substr(slash + 1);
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent, std::size_t columns) {
  const std::vector<std::size_t> widths = column_widths(rows);
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      line += last ? cut(row[i], columns - std::min(columns, line.size())) : row[i];
      if (!last) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value)) || value >= 100;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

std::string duration_text(double seconds) {
  constexpr double kMinute_s = 60;
  constexpr double kHour_s = 3600;
  std::array<char, 48> text{};
  if (seconds < 1) {
    std::snprintf(text.data(), text.size(), "%.0f ms", seconds * 1e3);
  } else if (seconds < 2 * kMinute_s) {
    std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  } else if (seconds < 2 * kHour_s) {
    std::snprintf(text.data(), text.size(), "%.0f min", seconds / kMinute_s);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f h", seconds / kHour_s);
  }
  return text.data();
}

std::string count_text(std::size_t count, std::string_view one) {
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : "s");
}

}  // namespace comity::cli
