// SPDX-License-Identifier: BSD-3-Clause
#include "machine/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/error.hpp"

namespace comity::machine {
namespace {

constexpr std::size_t kLargestFileBytes = std::size_t{64} << 20U;  // a hundred times the file of a large machine

// `place`: where the user wrote the name; "": nowhere that can be told.
[[noreturn]] void reject_file(const std::string& path, const std::string& why, const std::string& place) {
  throw Error(Status::topology, "read the topology file \"" + path + "\": " + why + "; " +
                                    (place.empty() ? "give another" : "check " + place) +
                                    ", or make the file with lstopo --of xml");
}

std::string with_reason(std::string what, int error_number) {
  if (error_number != 0) what += std::string(": ") + std::strerror(error_number);
  return what;
}

// A tag from its "<" on, without what stands behind its end; a ">" in quotes is none.
std::string_view tag_at(std::string_view text) {
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && c == '>') return text.substr(0, at);
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
  }
  return text;
}

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

std::string_view without_space_before(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

// What stands in the quotes behind a name and "=", which may have space around it; none where the name does not stand there.
std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    if (at == 0 || !is_space(tag[at - 1])) continue;
    std::string_view rest = without_space_before(tag.substr(at + name.size()));
    if (!rest.starts_with('=')) continue;
    rest = without_space_before(rest.substr(1));
    if (!rest.starts_with('"') && !rest.starts_with('\'')) continue;
    return rest.substr(1, rest.substr(1).find(rest.front()));
  }
  return std::nullopt;
}

// "0x0", or several such words in a row.
bool is_empty_set(std::string_view set) { return set.find_first_not_of("0x, ") == std::string_view::npos; }

// What is wrong with an object so that hwloc (2.9) ends the process over it; "" where nothing is.
std::string deadly_in(std::string_view object) {
  for (const std::string set : {"cpuset", "nodeset"}) {
    if (attribute(object, set) && !attribute(object, "complete_" + set)) return "has no complete_" + set;
  }
  const bool is_machine = attribute(object, "type") == "Machine";
  if (is_machine && is_empty_set(attribute(object, "complete_cpuset").value_or("0x1"))) {
    return "is a machine whose complete_cpuset is empty";
  }
  return "";
}

}  // namespace

std::string why_xml_ends_hwloc(std::string_view text) {
  constexpr std::string_view kObject = "<object";
  for (std::size_t at = text.find(kObject); at != std::string_view::npos; at = text.find(kObject, at + 1)) {
    const std::string_view tag = tag_at(text.substr(at));
    const std::string deadly = deadly_in(tag);
    if (deadly.empty()) continue;
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    return "the object in line " + std::to_string(line) + ' ' + deadly + ", over which hwloc ends the program";
  }
  return "";
}

std::string read_xml_file(const std::string& path, const std::string& place) {
  const auto reject = [&](const std::string& why) { reject_file(path, why, place); };
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    reject("it is no regular file");  // a pipe would keep us waiting
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) reject(with_reason("it cannot be opened", errno));
  std::string text;
  std::array<char, 65536> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFileBytes) reject("it is larger than 64 MiB");
  }
  if (file.bad()) reject(with_reason("it cannot be read", errno));
  if (text.empty()) reject("it is empty");
  if (const std::string why = why_xml_ends_hwloc(text); !why.empty()) reject(why);
  return text;
}

// A count stands behind a colon or alone; what stands in brackets are attributes and attached memory. Numbers are read as
// hwloc reads them (white space, signs, octal and hexadecimal), or a hidden one would keep it building for hours.
std::size_t count_synthetic_pus(std::string_view description) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const std::string text(description);
  std::size_t product = 1;
  int brackets = 0;
  char before = ' ';
  for (std::size_t at = 0; at < text.size(); before = text[at++]) {
    const char c = text[at];
    if (c == '(' || c == '[') ++brackets;
    if (c == ')' || c == ']') --brackets;
    const bool alone =
        std::isspace(static_cast<unsigned char>(before)) != 0 && std::strchr("+-0123456789", c) != nullptr;
    if (brackets != 0 || (c != ':' && !alone)) continue;
    const char* const start = text.c_str() + at + (c == ':' ? 1 : 0);
    char* end = nullptr;
    errno = 0;
    const bool is_negative = without_space_before(start).starts_with('-');  // hwloc takes it for a huge one
    const unsigned long long count = std::strtoull(start, &end, 0);
    if (end == start) continue;
    if (errno != 0 || is_negative || (count != 0 && product > kMost / count)) return kMost;
    product *= count;
    at = static_cast<std::size_t>(end - text.c_str()) - 1;
  }
  return product;
}

}  // namespace comity::machine
