// SPDX-License-Identifier: BSD-3-Clause
#include "memory/object_span.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "os/files/descriptor.hpp"
#include "os/kernel.hpp"

namespace comity::memory {
namespace {

constexpr unsigned char kOurClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr std::size_t kHeaders = 4096;  // the program header stands behind the file's own, in all linkers' files

bool is_of_our_kind(const ElfW(Ehdr) & header) {
  return std::memcmp(static_cast<const unsigned char*>(header.e_ident), ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == kOurClass && header.e_phentsize == sizeof(ElfW(Phdr));
}

struct Extent {
  std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t high = 0;
};

// False: it makes no sense.
bool add(const ElfW(Phdr) & segment, Extent& extent) {
  if (segment.p_type != PT_LOAD) return true;
  const std::uint64_t end = segment.p_vaddr + segment.p_memsz;
  if (end < segment.p_vaddr) return false;
  extent.low = std::min<std::uint64_t>(extent.low, segment.p_vaddr);
  extent.high = std::max(extent.high, end);
  return true;
}

}  // namespace

std::optional<std::uint64_t> object_span(std::span<const std::byte> begin) {
  ElfW(Ehdr) header;
  if (begin.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, begin.data(), sizeof header);
  const std::uint64_t table = std::uint64_t{header.e_phnum} * sizeof(ElfW(Phdr));
  if (!is_of_our_kind(header) || header.e_phoff > begin.size() || table > begin.size() - header.e_phoff)
    return std::nullopt;
  Extent extent;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, &begin[header.e_phoff + i * sizeof segment], sizeof segment);
    if (!add(segment, extent)) return std::nullopt;
  }
  if (extent.high <= extent.low) return std::nullopt;
  const std::uint64_t page = os::page_bytes();
  const std::uint64_t bytes = extent.high - extent.low / page * page;
  if (bytes > std::numeric_limits<std::uint64_t>::max() - page) return std::nullopt;
  return (bytes + page - 1) / page * page;
}

std::optional<std::uint64_t> object_span(const os::Area& area, const std::string& process_folder) {
  try {
    const os::Descriptor file = os::open_to_read(process_folder + "/root" + area.name);
    if (!os::file_facts(file).regular) return std::nullopt;
    std::array<std::byte, kHeaders> begin;  // NOLINT(*-member-init): what is not read is not used
    return object_span(std::span(begin).first(os::read_at(file, begin, 0)));
  } catch (const Error&) {
    return std::nullopt;  // deleted, or not ours to read
  }
}

}  // namespace comity::memory
