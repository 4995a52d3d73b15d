// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text in the place of the kernel's is refused, or read as figures that keep their rules: an area
// has an end behind its start, no figure has overflowed, a node has a number and pages, an object whole pages.
//
// The first byte chooses the file that the text stands for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "memory/object_span.hpp"
#include "os/memory/areas.hpp"
#include "os/memory/node_pages.hpp"
#include "os/memory/totals.hpp"

namespace {

using namespace comity::os;

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_whole_kib(const PageUse& use) {
  for (const UseField& field : kUseFields) expect(use.*field.bytes % 1024 == 0);
}

void read_areas(std::string_view text) {
  for (const Area& area : parse_areas(text)) {
    expect(area.start < area.end);
    expect(area.name.size() <= text.size());
    expect_whole_kib(area.use);
  }
}

void read_nodes(std::string_view text) {
  std::uint64_t before = 0;
  for (const AreaNodes& area : parse_node_pages(text)) {
    expect(before <= area.start);
    before = area.start;
    for (const auto& [node, bytes] : area.bytes) expect(node >= 0 && bytes > 0);
  }
}

void read_object(std::string_view text) {
  const auto span = comity::memory::object_span(std::as_bytes(std::span(text)));
  expect(!span || (*span != 0 && *span % 4096 == 0));
}

void read(std::uint8_t choice, std::string_view text) {
  constexpr std::uint8_t kFiles = 7;
  switch (choice % kFiles) {
    case 0:
      return read_areas(text);
    case 1:
      return expect_whole_kib(parse_rollup(text));
    case 2:
      return read_nodes(text);
    case 3:
      return (void)parse_totals(text);
    case 4:
      return (void)parse_node_totals(text);
    case 5:
      return (void)parse_statm(text, 4096);
    default:
      return read_object(text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  try {
    read(data[0], {reinterpret_cast<const char*>(data + 1), bytes - 1});
  } catch (const comity::Error&) {
    return 0;  // told
  }
  return 0;
}
