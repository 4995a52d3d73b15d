// SPDX-License-Identifier: BSD-3-Clause
// How far objects go: real ones, and headers that lie.
#include "memory/object_span.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>

#include "os/kernel.hpp"

namespace comity::memory {
namespace {

char large[3 << 20];  // of this program, in no file

struct Header {
  ElfW(Ehdr) file{};
  std::array<ElfW(Phdr), 3> table{};

  Header() {
    std::memcpy(static_cast<unsigned char*>(file.e_ident), ELFMAG, SELFMAG);
    file.e_ident[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    file.e_phentsize = sizeof(ElfW(Phdr));
    file.e_phoff = offsetof(Header, table);
    file.e_phnum = 3;
    set(0, PT_LOAD, 0x400923, 0x100);
    set(1, PT_NOTE, 0x900000, 0x100);
    set(2, PT_LOAD, 0x401100, 0x1001);
  }

  void set(std::size_t index, std::uint32_t type, std::uint64_t start, std::uint64_t bytes) {
    table[index].p_type = type;
    table[index].p_vaddr = start;
    table[index].p_memsz = bytes;
  }

  [[nodiscard]] std::optional<std::uint64_t> span() const { return object_span(std::as_bytes(std::span(this, 1))); }
};

TEST(ObjectSpan, GoesFromTheLowestPageToBehindTheHighest) { EXPECT_EQ(Header().span(), 0x3000U); }

TEST(ObjectSpan, HeadersThatLieHaveNone) {
  Header header;
  header.table[2].p_memsz = ~std::uint64_t{0};
  EXPECT_FALSE(header.span());
  header = {};
  header.table[2].p_vaddr = ~std::uint64_t{0} - 0x1800;
  EXPECT_TRUE(!header.span() || *header.span() >= 0x1000);
  header = {};
  header.table[0].p_type = PT_NULL;
  header.set(2, PT_LOAD, 0x401000, 0);
  EXPECT_FALSE(header.span()) << "it has no memory";
  header = {};
  header.file.e_phnum = 4;
  EXPECT_FALSE(header.span()) << "its table goes over the end";
  header = {};
  header.file.e_phoff = ~std::uint64_t{0};
  EXPECT_FALSE(header.span());
  header = {};
  header.file.e_phentsize = 8;
  EXPECT_FALSE(header.span());
  header = {};
  header.file.e_ident[0] = 'x';
  EXPECT_FALSE(header.span());
  EXPECT_FALSE(object_span(std::span<const std::byte>{}));
}

TEST(ObjectSpan, AProgramThatRunsIsReadThroughItsProcess) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  os::Area area;
  area.name = own;
  const auto span = object_span(area, "/proc/self");
  ASSERT_TRUE(span);
  EXPECT_GT(*span, sizeof large) << static_cast<const void*>(large);
  EXPECT_EQ(*span % os::page_bytes(), 0U);
  area.name = own + " (deleted)";
  EXPECT_FALSE(object_span(area, "/proc/self"));
  area.name = "/dev/null";
  EXPECT_FALSE(object_span(area, "/proc/self"));
}

}  // namespace
}  // namespace comity::memory
