// SPDX-License-Identifier: BSD-3-Clause
// The reader of executables: what a program of this machine is, and that a broken file is only a broken file.
#include "cli/doctor/elf.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace comity::cli {
namespace {

bool is_main(std::string_view name) { return name == "main" || name == "getpid"; }  // no sanitizer has these

std::vector<char> bytes_of_this_program() {
  std::vector<char> bytes(std::filesystem::file_size("/proc/self/exe"));
  std::ifstream("/proc/self/exe", std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

class ElfCopy : public ::testing::Test {
 protected:
  ElfCopy()
      : bytes_(bytes_of_this_program()), path_(::testing::TempDir() + "comity-elf-" + std::to_string(::getpid())) {}
  ~ElfCopy() override { std::filesystem::remove(path_); }

  [[nodiscard]] Elf64_Ehdr header() const {
    Elf64_Ehdr header;
    std::memcpy(&header, bytes_.data(), sizeof(header));
    return header;
  }
  [[nodiscard]] FileKind kind_of(const std::vector<char>& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return read_elf(path_, is_main).kind;
  }
  template <typename Record>
  [[nodiscard]] FileKind kind_with(std::uint64_t offset, const Record& record) const {
    std::vector<char> bytes = bytes_;
    std::memcpy(bytes.data() + offset, &record, sizeof(record));
    return kind_of(bytes);
  }

  std::vector<char> bytes_;
  std::string path_;
};

TEST(Elf, TellsWhatThisProgramDefinesAndWhatItExpects) {
  const ElfFile file = read_elf("/proc/self/exe", is_main);
  EXPECT_EQ(file.kind, FileKind::dynamic);
  EXPECT_TRUE(std::binary_search(file.defined.begin(), file.defined.end(), "main"));
  EXPECT_TRUE(std::binary_search(file.undefined.begin(), file.undefined.end(), "getpid"));
  const auto is_libc = [](const std::string& name) { return name.starts_with("libc.so"); };
  EXPECT_TRUE(std::any_of(file.needed.begin(), file.needed.end(), is_libc));
}

TEST(Elf, TellsWhatIsNoProgram) {
  EXPECT_EQ(read_elf("/absent", is_main).kind, FileKind::absent);
  EXPECT_EQ(read_elf("/proc/self/status", is_main).kind, FileKind::foreign);
  EXPECT_EQ(read_elf("/dev/null", is_main).kind, FileKind::special);
  EXPECT_EQ(read_elf("/", is_main).kind, FileKind::special);
}

TEST_F(ElfCopy, OfAPipeIsNeverOpenedForThatWouldWait) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_elf(path_, is_main).kind, FileKind::special);
}

TEST_F(ElfCopy, ThatIsCutOffAnywhereIsBroken) {
  ASSERT_EQ(kind_of(bytes_), FileKind::dynamic);
  const std::size_t tables = header().e_shoff;
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{40}, sizeof(Elf64_Ehdr),
                                   std::size_t{100}, std::size_t{4096}, tables / 2, tables, tables + 100}) {
    std::vector<char> bytes = bytes_;
    bytes.resize(length);
    EXPECT_EQ(kind_of(bytes), FileKind::foreign) << length << " bytes";
  }
}

TEST_F(ElfCopy, OfAnotherKindOfMachineIsForeign) {
  Elf64_Ehdr other = header();
  other.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(kind_with(0, other), FileKind::foreign);
  other = header();
  other.e_ident[EI_DATA] = other.e_ident[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
  EXPECT_EQ(kind_with(0, other), FileKind::foreign);
  other = header();
  other.e_type = ET_CORE;
  EXPECT_EQ(kind_with(0, other), FileKind::dynamic) << "the loader's name is in it all the same";
}

TEST_F(ElfCopy, WhoseTablesLieOutsideIsBroken) {
  for (const std::uint64_t far : {std::uint64_t{bytes_.size()}, ~std::uint64_t{0}, ~std::uint64_t{0} >> 1U}) {
    Elf64_Ehdr other = header();
    other.e_shoff = far;
    EXPECT_EQ(kind_with(0, other), FileKind::foreign) << far;
    other = header();
    other.e_phoff = far;
    EXPECT_EQ(kind_with(0, other), FileKind::foreign) << far;
  }
  Elf64_Ehdr other = header();
  other.e_shentsize = 1;
  EXPECT_EQ(kind_with(0, other), FileKind::foreign);
}

TEST_F(ElfCopy, WhoseSectionsLieAreReadInBoundsOrBroken) {
  std::size_t told = 0;
  for (std::size_t i = 0; i < header().e_shnum; ++i) {
    const std::uint64_t at = header().e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, bytes_.data() + at, sizeof(section));
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
    for (const auto spoil :
         {+[](Elf64_Shdr& s) { s.sh_size = ~std::uint64_t{0}; },
          +[](Elf64_Shdr& s) { s.sh_size = std::uint64_t{1} << 30U; },
          +[](Elf64_Shdr& s) { s.sh_offset = ~std::uint64_t{0}; }, +[](Elf64_Shdr& s) { s.sh_link = 60'000; }}) {
      Elf64_Shdr spoilt = section;
      spoil(spoilt);
      EXPECT_EQ(kind_with(at, spoilt), FileKind::foreign) << "section " << i;
      ++told;
    }
    Elf64_Shdr shifted = section;  // its records are nonsense, their names too
    shifted.sh_offset += 8;
    shifted.sh_size -= 8;
    (void)kind_with(at, shifted);
  }
  EXPECT_EQ(told, 8U);
}

}  // namespace
}  // namespace comity::cli
