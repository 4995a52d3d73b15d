// SPDX-License-Identifier: BSD-3-Clause
#include "node/layout.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "node/segment.hpp"
#include "node_fixture.hpp"
#include "os/files/memory_file.hpp"

namespace comity::node {
namespace {

using testing::bytes_of;
using testing::status_of;

Header good_header() {
  Header header = lay_out({.participants = 4, .harts = 8, .payload_bytes = 1000});
  header.magic = kLayoutMagic;
  header.version = kLayoutVersion;
  return header;
}

TEST(Layout, ANodeOf384HartsAnd192RanksTakesLessThan8Megabytes) {
  const Header header = lay_out({.participants = 192, .harts = 384, .payload_bytes = 512 * 1024});
  EXPECT_LT(header.total_bytes, 8'000'000U);
}

TEST(Layout, PartsStandOneBehindTheOtherOnLinesOfTheirOwn) {
  for (const std::uint64_t participants : {1U, 2U, 7U, 192U, 1000U}) {
    const Header header = lay_out({.participants = participants, .harts = 3, .payload_bytes = 5});
    for (const std::uint64_t offset : {header.participants_offset, header.harts_offset, header.slots_offset,
                                       header.payload_offset, header.total_bytes}) {
      EXPECT_EQ(offset % kLine, 0U);
    }
    EXPECT_LE(header.participants_offset + participants * sizeof(ParticipantRecord), header.harts_offset);
    EXPECT_LE(header.harts_offset + 3 * sizeof(std::uint64_t), header.slots_offset);
    EXPECT_LE(header.payload_offset + 5, header.total_bytes);
  }
}

TEST(Layout, AGoodHeaderIsTaken) {
  const Header header = good_header();
  EXPECT_EQ(status_of([&] { check_header(header, header.total_bytes); }), Status::ok);
}

TEST(Layout, AnotherVersionIsToldWithBothNumbers) {
  Header header = good_header();
  header.version = 41;
  std::string words;
  EXPECT_EQ(status_of([&] { check_header(header, header.total_bytes); }, &words), Status::version);
  EXPECT_NE(words.find("layout version 41, this library needs " + std::to_string(kLayoutVersion)), std::string::npos)
      << words;
}

TEST(Layout, NoFieldOfAHostileHeaderIsBelieved) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::function<void(Header&)>> changes{
      [](Header& h) { h.magic = 0; },
      [](Header& h) { h.participants = 0; },
      [](Header& h) { h.participants = 0xFFFFFFFF; },
      [](Header& h) { h.participants = 5; },
      [](Header& h) { h.harts = kHuge; },
      [](Header& h) { h.harts = 2000; },
      [](Header& h) { h.slots = kHuge; },
      [](Header& h) { h.payload_bytes = kHuge; },
      [](Header& h) { h.payload_bytes = kHuge - 63; },
      [](Header& h) { h.participants_offset = kHuge; },
      [](Header& h) { h.harts_offset = 0; },
      [](Header& h) { h.slots_offset += 64; },
      [](Header& h) { h.payload_offset = 0; },
      [](Header& h) { h.total_bytes += 64; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Header header = good_header();
    const std::uint64_t file_bytes = header.total_bytes;
    changes[i](header);
    EXPECT_EQ(status_of([&] { check_header(header, file_bytes); }), Status::version) << i;
  }
}

TEST(SegmentFile, ThatIsTooShortForAHeaderIsRejected) {
  const os::Descriptor file = os::create_memory_file("short", 16);
  EXPECT_EQ(status_of([&] { static_cast<void>(Segment::open(file)); }), Status::version);
}

TEST(SegmentFile, IsReadBackAsItWasFormatted) {
  const auto payload = bytes_of("who is here");
  const Extent extent{.participants = 2, .harts = 3, .payload_bytes = payload.size()};
  const os::Descriptor file = os::create_memory_file("whole", lay_out(extent).total_bytes);
  const Segment made = Segment::format(file, extent, {1, 2}, payload);
  const Segment read = Segment::open(file);
  EXPECT_EQ(read.header().id, made.header().id);
  EXPECT_EQ(read.participants(), 2);
  EXPECT_EQ(read.harts().size(), 3U);
  EXPECT_EQ(testing::text_of(read.payload()), "who is here");
}

}  // namespace
}  // namespace comity::node
