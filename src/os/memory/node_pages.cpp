// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/node_pages.hpp"

#include <algorithm>

#include "os/memory/text.hpp"

namespace comity::os {
namespace {

using namespace memory_text;

constexpr std::string_view kNumaMaps = "numa_maps";
constexpr std::string_view kPageSize = "kernelpagesize_kB=";
constexpr std::uint64_t kMostNodes = 1U << 16U;

struct Pages {
  int node;
  std::uint64_t count;
};

// "N0=25"; none: another word.
std::optional<Pages> pages_of(std::string_view word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string_view::npos || !word.starts_with('N')) return std::nullopt;
  const auto node = number(word.substr(1, sign - 1));
  const auto count = number(word.substr(sign + 1));
  if (!node || !count || *node >= kMostNodes) return std::nullopt;
  return Pages{static_cast<int>(*node), *count};
}

// "7f12..000 default anon=3 dirty=3 N0=2 N1=1 kernelpagesize_kB=4". Blanks in a file's name are written as \040.
AreaNodes nodes_of_area(std::string_view line) {
  std::string_view rest = line;
  const auto start = number(next_word(rest), 16);
  if (!start) reject(kNumaMaps, line);
  std::vector<Pages> found;
  std::uint64_t page_kib = 4;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (const auto pages = pages_of(word)) found.push_back(*pages);
    if (!word.starts_with(kPageSize)) continue;
    const auto size = number(word.substr(kPageSize.size()));
    if (!size) reject(kNumaMaps, line);
    page_kib = *size;
  }
  AreaNodes area{*start, {}};
  for (const Pages& pages : found) {
    const auto kib = product(pages.count, page_kib);
    const auto bytes = kib ? product(*kib, kKiB) : std::nullopt;
    if (!bytes) reject(kNumaMaps, line);
    if (*bytes != 0) area.bytes[pages.node] = *bytes;
  }
  return area;
}

}  // namespace

std::vector<AreaNodes> parse_node_pages(std::string_view numa_maps) {
  std::vector<AreaNodes> areas;
  while (!numa_maps.empty()) areas.push_back(nodes_of_area(next_line(numa_maps)));
  std::sort(areas.begin(), areas.end(), [](const AreaNodes& a, const AreaNodes& b) { return a.start < b.start; });
  return areas;
}

}  // namespace comity::os
