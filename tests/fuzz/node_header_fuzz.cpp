// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any header of a node segment is refused, or all its parts lie inside the file and do not overlap.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "node/layout.hpp"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using comity::node::Header;
  std::uint64_t file_bytes = 0;
  if (bytes < sizeof(Header) + sizeof(file_bytes)) return 0;
  Header header;
  std::memcpy(&header, data, sizeof(header));
  std::memcpy(&file_bytes, data + sizeof(header), sizeof(file_bytes));
  // Most random headers fail at the magic; half of the inputs are given the right one to go deeper.
  if ((data[bytes - 1] & 1U) != 0) {
    header.magic = comity::node::kLayoutMagic;
    header.version = comity::node::kLayoutVersion;
  }
  try {
    comity::node::check_header(header, file_bytes);
  } catch (const comity::Error&) {
    return 0;  // refused
  }
  expect(header.participants_offset <= header.harts_offset);
  expect(header.harts_offset <= header.slots_offset);
  expect(header.slots_offset <= header.payload_offset);
  expect(header.payload_offset <= header.total_bytes);
  expect(header.payload_bytes <= header.total_bytes - header.payload_offset);
  expect(header.total_bytes <= file_bytes);
  return 0;
}
