// SPDX-License-Identifier: BSD-3-Clause
// The pages of a range: how many are there, and whose. Neither allocates nor throws once made: it may stand behind malloc.
// Costs by resident MiB: mincore 0.3 us, pagemap 8 us.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

#include "os/files/descriptor.hpp"

namespace comity::os {

// What the kernel tells is written there: more room takes fewer calls. For who may stand on a program's small stack; others use the forms without.
using PageRoom = std::span<std::uint64_t>;

struct PageCounts {
  std::uint64_t resident = 0;   // without those that are only read and nobody wrote, where the kernel tells
  std::uint64_t exclusive = 0;  // of them, mapped by this process alone
  std::uint64_t file = 0;       // of them, of a file or a segment
  std::uint64_t swapped = 0;
};

class Pagemap {
 public:
  // Throws Status::system where there is no such process, or it may not be looked at.
  explicit Pagemap(pid_t process);
  // This process's own, for who may neither allocate nor throw. None where it may not be looked at.
  [[nodiscard]] static std::optional<Pagemap> of_this_process() noexcept;

  // Of the pages from start to end, both rounded to whole ones. None where the kernel does not tell, or the process has ended.
  [[nodiscard]] std::optional<PageCounts> count(std::uint64_t start, std::uint64_t end) const noexcept;
  [[nodiscard]] std::optional<PageCounts> count(std::uint64_t start, std::uint64_t end, PageRoom room) const noexcept;
  // Of them those that were read and never written: the kernel has one page of zeros for all, which is nobody's memory. 0
  // before Linux 6.7, which does not tell.
  [[nodiscard]] std::uint64_t zero_pages(std::uint64_t start, std::uint64_t end) const noexcept;
  [[nodiscard]] std::uint64_t zero_pages(std::uint64_t start, std::uint64_t end, PageRoom room) const noexcept;
  // Whether it is part of a huge page. False before Linux 6.7, which does not tell.
  [[nodiscard]] bool is_huge(std::uint64_t address) const noexcept;

 private:
  explicit Pagemap(Descriptor file);

  Descriptor file_;
  std::uint64_t page_bytes_;
};

// [pages] Of a private range of this process. It counts pages that were only read, and of a shared range those that anybody has
// touched. None where part of the range is not mapped.
[[nodiscard]] std::optional<std::uint64_t> pages_in_core(std::uint64_t start, std::uint64_t end) noexcept;
[[nodiscard]] std::optional<std::uint64_t> pages_in_core(std::uint64_t start, std::uint64_t end,
                                                         PageRoom room) noexcept;
// [bytes] The same of what need not begin and end with a page: of its first and its last one what lies in it, so that a page in which two
// parts meet counts once.
[[nodiscard]] std::optional<std::uint64_t> bytes_in_core(std::uint64_t start, std::uint64_t end) noexcept;
[[nodiscard]] std::optional<std::uint64_t> bytes_in_core(std::uint64_t start, std::uint64_t end,
                                                         PageRoom room) noexcept;

}  // namespace comity::os
