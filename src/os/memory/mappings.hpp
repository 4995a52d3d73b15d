// SPDX-License-Identifier: BSD-3-Clause
// What the kernel's words for mappings mean, for who stands before mmap, and words of memory that may not be written to.
// Allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::os {

// Of mmap's flags: whether others may see the pages, or they are a file's.
[[nodiscard]] bool maps_shared_pages(int flags) noexcept;
// Whether what is mapped there already goes.
[[nodiscard]] bool maps_over(int flags) noexcept;
// Of mremap's flags: whether what is moved stays mapped where it was too, without its pages.
[[nodiscard]] bool keeps_what_is_moved(int flags) noexcept;
[[nodiscard]] bool is_failed_mapping(const void* start) noexcept;
// Of what was mapped with these flags, of that file: the kernel maps whole pages, and those of hugetlbfs are larger than others.
[[nodiscard]] std::uint64_t mapped_page_bytes(int flags, int file) noexcept;

// Of a segment of System V; 0 where the kernel does not tell.
[[nodiscard]] std::uint64_t segment_bytes(int id) noexcept;

// Where the program break is: malloc's heap ends there. 0 where nobody can tell.
[[nodiscard]] std::uintptr_t program_break() noexcept;

// Stores a word into a page, which is made writable for it where it is not to be written to. False: the kernel refused.
[[nodiscard]] bool store_word(std::uintptr_t* place, std::uintptr_t word, bool is_protected) noexcept;

}  // namespace comity::os
