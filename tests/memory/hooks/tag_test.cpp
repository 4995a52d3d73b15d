// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/tag.hpp"

#include <gtest/gtest.h>

#include <array>

namespace comity::memory::hooks {
namespace {

struct Block {
  alignas(16) std::array<std::byte, 64> bytes{};
  [[nodiscard]] std::optional<Tag> tag() { return tag_of(bytes.data(), bytes.size()); }
};

TEST(MemoryTag, TellsWhatWasPutIn) {
  for (const Component component :
       {Component::application, Component::mpi, Component::unknown, Component(kMostComponents - 1)}) {
    for (const unsigned site : {0U, 77U, 16383U}) {
      for (const unsigned bytes : {0U, 9U, 4097U, 65535U}) {
        Block block;
        put_tag(block.bytes.data(), block.bytes.size(),
                {{component, static_cast<SiteNumber>(site)}, static_cast<std::uint16_t>(bytes)});
        ASSERT_TRUE(block.tag());
        EXPECT_EQ(block.tag()->owner.component(), component);
        EXPECT_EQ(block.tag()->owner.site(), site);
        EXPECT_EQ(block.tag()->bytes, bytes);
      }
    }
  }
}

TEST(MemoryTag, IsNoneWhereNobodyPutOne) {
  Block block;
  EXPECT_FALSE(block.tag());
  block.bytes.fill(std::byte{0xff});
  EXPECT_FALSE(block.tag());
}

// What is left of it where memory was copied, moved within realloc or handed out anew.
TEST(MemoryTag, CountsForItsOwnBlockAlone) {
  Block block;
  put_tag(block.bytes.data(), block.bytes.size(), {{Component::mpi, 100}, 8});
  Block other = block;
  EXPECT_FALSE(other.tag());
  take_tag_away(block.bytes.data(), block.bytes.size());
  EXPECT_FALSE(block.tag());
}

TEST(MemoryTag, IsLostWithAnyBitOfIt) {
  Block block;
  put_tag(block.bytes.data(), block.bytes.size(), {{Component::mpi, 100}, 24});
  for (unsigned bit = 0; bit < 64; ++bit) {
    std::byte* const place = tag_place(block.bytes.data(), block.bytes.size()) + bit / 8;
    *place ^= std::byte(1U << bit % 8);
    EXPECT_FALSE(block.tag()) << bit;
    *place ^= std::byte(1U << bit % 8);
  }
}

}  // namespace
}  // namespace comity::memory::hooks
