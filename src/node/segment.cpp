// SPDX-License-Identifier: BSD-3-Clause
#include "node/segment.hpp"

#include <algorithm>
#include <cstring>

#include "os/kernel.hpp"

namespace comity::node {

Segment Segment::format(const os::Descriptor& file, const Extent& extent, const Nonce& nonce,
                        std::span<const std::byte> payload) {
  Header header = lay_out(extent);
  header.magic = kLayoutMagic;
  header.version = kLayoutVersion;
  header.nonce = nonce;
  header.id = os::random_number();
  os::Mapping memory = os::Mapping::shared(file, header.total_bytes);
  std::memcpy(memory.bytes().data(), &header, sizeof(header));
  std::copy(payload.begin(), payload.end(),
            memory.bytes().begin() + static_cast<std::ptrdiff_t>(header.payload_offset));
  return Segment(std::move(memory));
}

Segment Segment::open(const os::Descriptor& file) {
  Header header{};
  const std::size_t got = os::read_at(file, std::as_writable_bytes(std::span(&header, 1)), 0);
  if (got != sizeof(header)) header = Header{};  // too short for one: no magic number
  check_header(header, os::file_facts(file).bytes);
  return Segment(os::Mapping::shared(file, header.total_bytes));
}

}  // namespace comity::node
