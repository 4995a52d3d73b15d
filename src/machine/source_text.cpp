// SPDX-License-Identifier: BSD-3-Clause
#include "machine/source_text.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

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

}  // namespace

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
    const unsigned long long count = std::strtoull(start, &end, 0);  // a negative one is huge
    if (end == start) continue;
    if (errno != 0 || (count != 0 && product > kMost / count)) return kMost;
    product *= count;
    at = static_cast<std::size_t>(end - text.c_str()) - 1;
  }
  return product;
}

}  // namespace comity::machine
