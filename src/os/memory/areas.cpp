// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/areas.hpp"

#include <algorithm>
#include <cctype>

#include "os/memory/text.hpp"

namespace comity::os {
namespace {

using namespace memory_text;

constexpr std::string_view kSmaps = "smaps";
constexpr std::size_t kRights = 4;  // "rwxp"

bool is_hex(char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'); }

// "00400000-00452000 r-xp ..": names of fields begin with a capital letter.
bool begins_area(std::string_view line) { return !line.empty() && is_hex(line.front()); }

// The two numbers that stand around a sign; none where there are others.
bool pair_of(std::string_view word, char sign, std::uint64_t& first, std::uint64_t& second) {
  const std::size_t at = word.find(sign);
  if (at == std::string_view::npos) return false;
  const auto left = number(word.substr(0, at), 16);
  const auto right = number(word.substr(at + 1), 16);
  first = left.value_or(0);
  second = right.value_or(0);
  return left && right;
}

bool read_rights(std::string_view word, Area& area) {
  if (word.size() != kRights) return false;
  area.readable = word[0] == 'r';
  area.writable = word[1] == 'w';
  area.executable = word[2] == 'x';
  area.shared = word[3] == 's';
  return true;
}

// The kernel writes a line's end within a name as \012, and nothing else so.
std::string name_of(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  constexpr std::string_view kLineEnd = "\\012";
  std::string name;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kLineEnd), rest.size());
    name += rest.substr(0, end);
    if (end == rest.size()) break;
    name += '\n';
    rest.remove_prefix(end + kLineEnd.size());
  }
  return name;
}

Area area_of(std::string_view line) {
  Area area;
  std::string_view rest = line;
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  bool good = pair_of(next_word(rest), '-', area.start, area.end) && area.start < area.end;
  good = read_rights(next_word(rest), area) && good;
  const auto offset = number(next_word(rest), 16);
  good = pair_of(next_word(rest), ':', major, minor) && good;
  const auto inode = number(next_word(rest));
  if (!good || !offset || !inode) reject(kSmaps, line);
  area.offset = *offset;
  area.device_major = static_cast<std::uint32_t>(major);
  area.device_minor = static_cast<std::uint32_t>(minor);
  area.inode = *inode;
  area.name = name_of(rest);
  return area;
}

void read_flags(std::string_view value, Area& area) {
  for (std::string_view flag = next_word(value); !flag.empty(); flag = next_word(value)) {
    area.no_reserve |= flag == "nr";
    area.in_hugetlb |= flag == "ht";
  }
}

void read_use(std::string_view name, std::string_view value, std::string_view line, PageUse& use) {
  const auto field =
      std::find_if(kUseFields.begin(), kUseFields.end(), [&](const UseField& each) { return each.name == name; });
  if (field == kUseFields.end()) return;
  const auto bytes = kib(value);
  if (!bytes) reject(kSmaps, line);
  use.*field->bytes = *bytes;
}

struct Field {
  std::string_view name;
  std::string_view value;
};

Field field_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || std::isupper(static_cast<unsigned char>(line.front())) == 0)
    reject(kSmaps, line);
  return {line.substr(0, colon), line.substr(colon + 1)};
}

}  // namespace

PageUse& PageUse::operator+=(const PageUse& other) {
  for (const UseField& field : kUseFields) this->*field.bytes += other.*field.bytes;
  return *this;
}

std::vector<Area> parse_areas(std::string_view text) {
  std::vector<Area> areas;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (begins_area(line)) {
      areas.push_back(area_of(line));
      continue;
    }
    const Field field = field_of(line);
    if (areas.empty()) reject(kSmaps, line);
    if (field.name == "VmFlags") {
      read_flags(field.value, areas.back());
    } else {
      read_use(field.name, field.value, line, areas.back().use);
    }
  }
  return areas;
}

PageUse parse_rollup(std::string_view text) {
  PageUse use;
  bool begun = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!begun && begins_area(line)) {
      begun = true;
      continue;
    }
    const Field field = field_of(line);
    read_use(field.name, field.value, line, use);
  }
  return use;
}

}  // namespace comity::os
