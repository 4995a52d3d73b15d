// SPDX-License-Identifier: BSD-3-Clause
#include "os/code/loaded_files.hpp"

#include <link.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

namespace comity::os {
namespace {

std::string hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text.append({kDigits[byte >> 4U], kDigits[byte & 15U]});
  return text;
}

std::size_t padded(std::size_t size, std::size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

// The notes of a segment, one after the other: header, name, description. "": the build id is not among them.
std::string build_id_in(std::span<const unsigned char> notes, std::size_t alignment) {
  constexpr std::array<char, 4> kGnu{"GNU"};  // with its zero
  const std::string_view gnu(kGnu.data(), kGnu.size());
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t description = sizeof header + padded(header.n_namesz, alignment);
    const std::size_t size = description + padded(header.n_descsz, alignment);
    if (size > padded(notes.size(), alignment) || description + header.n_descsz > notes.size()) return {};
    const std::string_view owner(reinterpret_cast<const char*>(&notes[sizeof header]), header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && owner == gnu) return hex(notes.subspan(description, header.n_descsz));
    if (size >= notes.size()) return {};
    notes = notes.subspan(size);
  }
  return {};
}

std::string build_id_of(const dl_phdr_info& file) {
  for (const ElfW(Phdr) & segment : std::span(file.dlpi_phdr, file.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE) continue;
    const auto* const start = reinterpret_cast<const unsigned char*>(file.dlpi_addr + segment.p_vaddr);
    std::string id = build_id_in({start, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
    if (!id.empty()) return id;
  }
  return {};
}

int add(dl_phdr_info* file, std::size_t, void* data) {
  auto& files = *static_cast<std::vector<LoadedFile>*>(data);
  files.push_back({file->dlpi_name == nullptr ? "" : file->dlpi_name, build_id_of(*file)});
  return 0;
}

}  // namespace

std::vector<LoadedFile> loaded_files() {
  std::vector<LoadedFile> files;
  ::dl_iterate_phdr(add, &files);
  std::error_code problem;
  if (!files.empty() && files.front().path.empty()) {
    files.front().path = std::filesystem::read_symlink("/proc/self/exe", problem).string();
  }
  return files;
}

}  // namespace comity::os
