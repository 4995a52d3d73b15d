// SPDX-License-Identifier: BSD-3-Clause
#include "node/layout.hpp"

#include <string>

#include "base/cpu_set.hpp"
#include "base/error.hpp"

namespace comity::node {
namespace {

std::uint64_t lines(std::uint64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

void require(bool good, const std::string& what, std::uint64_t found, std::uint64_t expected) {
  if (good) return;
  throw Error(Status::version, "the node segment has " + what + " " + std::to_string(found) + ", this library needs " +
                                   std::to_string(expected) + "; let all ranks load the same libcomity");
}

void require_equal(const std::string& what, std::uint64_t found, std::uint64_t expected) {
  require(found == expected, what, found, expected);
}

void require_at_most(const std::string& what, std::uint64_t found, std::uint64_t most) {
  require(found <= most, what, found, most);
}

}  // namespace

std::uint64_t slot_bytes(std::uint64_t participants) {
  return lines(sizeof(GroupRecord) + participants * (sizeof(MemberRecord) + sizeof(std::uint64_t)));
}

Header lay_out(const Extent& extent) {
  Header header{};
  header.participants = static_cast<std::uint32_t>(extent.participants);
  header.harts = extent.harts;
  // Enough for every rank to be in a group of its own twice, and a hundred contexts of all.
  header.slots = 128 + 2 * extent.participants;
  header.participants_offset = sizeof(Header);
  header.harts_offset = header.participants_offset + extent.participants * sizeof(ParticipantRecord);
  header.slots_offset = header.harts_offset + lines(extent.harts * sizeof(std::uint64_t));
  header.payload_offset = header.slots_offset + header.slots * slot_bytes(extent.participants);
  header.payload_bytes = extent.payload_bytes;
  header.total_bytes = header.payload_offset + lines(extent.payload_bytes);
  return header;
}

void check_header(const Header& header, std::uint64_t file_bytes) {
  require_equal("magic number", header.magic, kLayoutMagic);
  require_equal("layout version", header.version, kLayoutVersion);
  require_equal("total bytes", header.total_bytes, file_bytes);
  require(header.participants > 0, "participants", header.participants, 1);
  require_at_most("participants", header.participants, kMostParticipants);
  require_at_most("harts", header.harts, CpuSet::kCapacity);
  require_at_most("payload bytes", header.payload_bytes, kMostPayload);
  const Header expected = lay_out({header.participants, header.harts, header.payload_bytes});
  require_equal("total bytes", header.total_bytes, expected.total_bytes);
  require_equal("group slots", header.slots, expected.slots);
  require_equal("participants' offset", header.participants_offset, expected.participants_offset);
  require_equal("hart table's offset", header.harts_offset, expected.harts_offset);
  require_equal("group slots' offset", header.slots_offset, expected.slots_offset);
  require_equal("payload's offset", header.payload_offset, expected.payload_offset);
}

}  // namespace comity::node
