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

// The header that goes with the extent of a random one, but for a word that the random one changes.
comity::node::Header almost_right(const comity::node::Header& random, std::uint64_t& file_bytes) {
  comity::node::Header header = comity::node::lay_out(
      {.participants = random.participants, .harts = random.harts % 8192, .payload_bytes = random.payload_bytes});
  header.magic = comity::node::kLayoutMagic;
  header.version = comity::node::kLayoutVersion;
  const std::size_t word = random.id % (sizeof(header) / sizeof(std::uint64_t));
  auto* const bytes = reinterpret_cast<unsigned char*>(&header) + word * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < sizeof(random.magic); ++i) bytes[i] ^= reinterpret_cast<const unsigned char*>(&random)[i];
  if (file_bytes % 2 == 0) file_bytes = header.total_bytes;
  return header;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using comity::node::Header;
  std::uint64_t file_bytes = 0;
  if (bytes < sizeof(Header) + sizeof(file_bytes)) return 0;
  Header header;
  std::memcpy(&header, data, sizeof(header));
  std::memcpy(&file_bytes, data + sizeof(header), sizeof(file_bytes));
  // A random header fails at the magic. Most inputs go deeper: one of a real extent, with one word of it changed.
  if ((data[bytes - 1] & 3U) != 0) header = almost_right(header, file_bytes);
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
