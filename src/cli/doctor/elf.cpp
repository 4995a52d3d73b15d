// SPDX-License-Identifier: BSD-3-Clause
// Source: System V ABI, chapter 4 (object files) and 5 (program loading).
#include "cli/doctor/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <system_error>

namespace comity::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;  // of one table; a larger one is a broken file
constexpr std::size_t kMostTables = 65'536;

// What is wrong with the file is not told apart: nothing in it can be believed.
struct Broken {};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path, std::ios::binary) {}

  [[nodiscard]] bool is_open() const { return file_.is_open(); }

  template <typename Record>
  [[nodiscard]] std::vector<Record> records(std::uint64_t offset, std::uint64_t bytes) {
    if (bytes > kMostBytes || offset > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw Broken{};
    std::vector<Record> found;
    // Piece by piece, so that a size that the file does not have takes no memory.
    constexpr std::uint64_t kPiece = std::max<std::uint64_t>(std::uint64_t{1} << 16U, sizeof(Record));
    const std::uint64_t count = bytes / sizeof(Record);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    while (found.size() < count) {
      const std::uint64_t before = found.size();
      found.resize(std::min(count, before + kPiece / sizeof(Record)));
      const auto wanted = static_cast<std::streamsize>((found.size() - before) * sizeof(Record));
      if (!file_.read(reinterpret_cast<char*>(found.data() + before), wanted)) throw Broken{};
    }
    return found;
  }

 private:
  std::ifstream file_;
};

class Elf {
 public:
  Elf(Reader& reader, const Elf64_Ehdr& header)
      : reader_(reader),
        type_(header.e_type),
        segments_(table<Elf64_Phdr>(header.e_phoff, header.e_phnum, header.e_phentsize)),
        sections_(table<Elf64_Shdr>(header.e_shoff, header.e_shnum, header.e_shentsize)) {}

  [[nodiscard]] FileKind kind() {
    const auto loaded_by_loader = [](const Elf64_Phdr& segment) { return segment.p_type == PT_INTERP; };
    if (std::any_of(segments_.begin(), segments_.end(), loaded_by_loader)) return FileKind::dynamic;
    if (type_ == ET_EXEC) return FileKind::fixed;
    if (type_ != ET_DYN) return FileKind::foreign;
    // A static program that may lie anywhere is a shared object that says it is a program.
    for (const Elf64_Dyn& entry : dynamic_entries()) {
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) return FileKind::fixed;
    }
    return FileKind::library;
  }

  [[nodiscard]] std::vector<std::string> needed() {
    std::vector<std::string> names;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_DYNAMIC) continue;
      const std::string strings = strings_of(section);
      for (const Elf64_Dyn& entry : entries_of<Elf64_Dyn>(section)) {
        if (entry.d_tag == DT_NEEDED) names.emplace_back(string_at(strings, entry.d_un.d_val));
      }
    }
    return names;
  }

  void list_functions(const std::function<bool(std::string_view)>& wanted, ElfFile& into) {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
      const std::string strings = strings_of(section);
      for (const Elf64_Sym& symbol : entries_of<Elf64_Sym>(section)) {
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
        std::string_view name = string_at(strings, symbol.st_name);
        name = name.substr(0, name.find('@'));  // in .symtab with its version
        if (!wanted(name)) continue;
        (symbol.st_shndx == SHN_UNDEF ? into.undefined : into.defined).emplace_back(name);
      }
    }
    for (std::vector<std::string>* names : {&into.defined, &into.undefined}) {
      std::sort(names->begin(), names->end());
      names->erase(std::unique(names->begin(), names->end()), names->end());
    }
  }

 private:
  template <typename Record>
  [[nodiscard]] std::vector<Record> table(std::uint64_t offset, std::size_t count, std::size_t record_bytes) {
    if (count == 0) return {};
    if (record_bytes != sizeof(Record) || count > kMostTables) throw Broken{};
    return reader_.records<Record>(offset, count * sizeof(Record));
  }

  template <typename Record>
  [[nodiscard]] std::vector<Record> entries_of(const Elf64_Shdr& section) {
    return reader_.records<Record>(section.sh_offset, section.sh_size);
  }

  [[nodiscard]] std::vector<Elf64_Dyn> dynamic_entries() {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_DYNAMIC) return reader_.records<Elf64_Dyn>(segment.p_offset, segment.p_filesz);
    }
    return {};
  }

  [[nodiscard]] std::string strings_of(const Elf64_Shdr& section) {
    if (section.sh_link >= sections_.size()) throw Broken{};
    const Elf64_Shdr& strings = sections_[section.sh_link];
    const std::vector<char> text = reader_.records<char>(strings.sh_offset, strings.sh_size);
    return {text.begin(), text.end()};
  }

  [[nodiscard]] static std::string_view string_at(const std::string& strings, std::uint64_t at) {
    if (at >= strings.size()) return {};
    const std::string_view rest = std::string_view(strings).substr(at);
    return rest.substr(0, rest.find('\0'));
  }

  Reader& reader_;
  unsigned type_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

constexpr unsigned char kByteOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

bool is_of_this_machine(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == kByteOrder;
}

}  // namespace

ElfFile read_elf(const std::string& path, const std::function<bool(std::string_view name)>& wanted) {
  ElfFile found;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    found.kind = FileKind::special;
    return found;
  }
  Reader reader(path);
  if (!reader.is_open()) return found;
  try {
    const std::vector<char> start = reader.records<char>(0, 2);
    if (start[0] == '#' && start[1] == '!') {
      found.kind = FileKind::script;
      return found;
    }
    const std::vector<Elf64_Ehdr> header = reader.records<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    found.kind = FileKind::foreign;
    if (!is_of_this_machine(header.front())) return found;
    Elf elf(reader, header.front());
    ElfFile whole;
    whole.kind = elf.kind();
    whole.needed = elf.needed();
    elf.list_functions(wanted, whole);
    return whole;
  } catch (const Broken&) {
    found.kind = FileKind::foreign;
    return found;
  }
}

}  // namespace comity::cli
