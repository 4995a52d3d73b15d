// SPDX-License-Identifier: BSD-3-Clause
// Areas: the mappings of a process as the kernel's maps and smaps tell them, and how much of each is resident. Texts in,
// figures out; not: files (process_memory), nor whose an area is. Fields that a kernel does not have yet are 0; those
// that it has and we do not know are passed over.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace comity::os {

// All in bytes. Pages of hugetlbfs are in none but the two that name them.
struct PageUse {
  std::uint64_t rss = 0;
  std::uint64_t pss = 0;  // each page divided by how many processes map it; of an area the kernel cuts it to whole KiB
  std::uint64_t shared_clean = 0;
  std::uint64_t shared_dirty = 0;
  std::uint64_t private_clean = 0;
  std::uint64_t private_dirty = 0;
  std::uint64_t anonymous = 0;
  std::uint64_t lazy_free = 0;       // given back, and taken when the kernel needs it
  std::uint64_t anon_huge = 0;       // in transparent huge pages, which are part of rss
  std::uint64_t shmem_huge = 0;      // of segments
  std::uint64_t file_huge = 0;       // of files
  std::uint64_t shared_hugetlb = 0;  // pages of hugetlbfs, which are not part of rss
  std::uint64_t private_hugetlb = 0;
  std::uint64_t swap = 0;
  std::uint64_t swap_pss = 0;
  std::uint64_t locked = 0;

  // What would be free if this process alone went.
  [[nodiscard]] std::uint64_t uss() const { return private_clean + private_dirty; }
  [[nodiscard]] std::uint64_t shared() const { return shared_clean + shared_dirty; }
  [[nodiscard]] std::uint64_t huge() const { return anon_huge + shmem_huge + file_huge; }
  [[nodiscard]] std::uint64_t hugetlb() const { return shared_hugetlb + private_hugetlb; }

  PageUse& operator+=(const PageUse& other);
  bool operator==(const PageUse&) const = default;
};

struct UseField {
  std::string_view name;  // in smaps
  std::uint64_t PageUse::*bytes;
};

inline constexpr std::array kUseFields{
    UseField{"Rss", &PageUse::rss},
    UseField{"Pss", &PageUse::pss},
    UseField{"Shared_Clean", &PageUse::shared_clean},
    UseField{"Shared_Dirty", &PageUse::shared_dirty},
    UseField{"Private_Clean", &PageUse::private_clean},
    UseField{"Private_Dirty", &PageUse::private_dirty},
    UseField{"Anonymous", &PageUse::anonymous},
    UseField{"LazyFree", &PageUse::lazy_free},
    UseField{"AnonHugePages", &PageUse::anon_huge},
    UseField{"ShmemPmdMapped", &PageUse::shmem_huge},
    UseField{"FilePmdMapped", &PageUse::file_huge},
    UseField{"Shared_Hugetlb", &PageUse::shared_hugetlb},
    UseField{"Private_Hugetlb", &PageUse::private_hugetlb},
    UseField{"Swap", &PageUse::swap},
    UseField{"SwapPss", &PageUse::swap_pss},
    UseField{"Locked", &PageUse::locked},
};

struct Area {
  std::uint64_t start = 0;  // addresses; end is the first one behind it
  std::uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t offset = 0;  // in the file [bytes]
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;  // 0: no file
  std::string name;         // a path, "[heap]" and the like, or ""

  // Of smaps alone.
  PageUse use;
  bool no_reserve = false;  // its owner asked the kernel to count no commitment for it, as for stacks and arenas
  bool in_hugetlb = false;

  [[nodiscard]] std::uint64_t bytes() const { return end - start; }
  [[nodiscard]] bool reachable() const { return readable || writable || executable; }
  [[nodiscard]] bool same_file(const Area& other) const {
    return inode != 0 && inode == other.inode && device_major == other.device_major &&
           device_minor == other.device_minor;
  }
};

// Both take the text of maps and that of smaps. Throw Status::system with the line where it is neither.
[[nodiscard]] std::vector<Area> parse_areas(std::string_view text);
// The sum over all areas, as smaps_rollup has it: its Pss is not cut.
[[nodiscard]] PageUse parse_rollup(std::string_view text);

}  // namespace comity::os
