// SPDX-License-Identifier: BSD-3-Clause
// PartCounter: how much of parts of memory is there, in bytes. They come by address, and of a page in which two meet each has what lies in it.
#pragma once

#include <cstdint>

#include "memory/attribution.hpp"
#include "os/kernel.hpp"
#include "os/memory/pages.hpp"

namespace comity::memory {

class PartCounter {
 public:
  struct Bytes {
    std::uint64_t resident = 0;
    std::uint64_t swapped = 0;
  };

  explicit PartCounter(const CountPages& count_pages) : count_pages_(count_pages) {}

  [[nodiscard]] Bytes of(std::uint64_t start, std::uint64_t end) {
    const std::uint64_t first = (start + page_ - 1) / page_ * page_;
    const std::uint64_t last = end / page_ * page_;
    bytes_ = {};
    if (first > last) {
      add(end - start, at(last));
      return bytes_;
    }
    if (start < first) add(first - start, at(first - page_));
    if (first < last) add_pages(first, last);
    if (last < end) add(end - last, at(last));
    return bytes_;
  }

 private:
  // Of a page; the next part begins where one has ended.
  [[nodiscard]] const os::PageCounts& at(std::uint64_t page) {
    constexpr os::PageCounts kNobodyTells{.resident = 1, .swapped = 1};
    if (page != border_) border_counts_ = count_pages_(page, page + page_).value_or(kNobodyTells);
    border_ = page;
    return border_counts_;
  }
  void add(std::uint64_t bytes, const os::PageCounts& page) {
    if (page.resident > 0) bytes_.resident += bytes;
    if (page.swapped > 0) bytes_.swapped += bytes;
  }
  void add_pages(std::uint64_t start, std::uint64_t end) {
    const std::uint64_t all = (end - start) / page_;
    const auto counts = count_pages_(start, end).value_or(os::PageCounts{.resident = all, .swapped = all});
    bytes_.resident += counts.resident * page_;
    bytes_.swapped += counts.swapped * page_;
  }

  const CountPages& count_pages_;
  std::uint64_t page_ = os::page_bytes();
  std::uint64_t border_ = UINT64_MAX;
  os::PageCounts border_counts_;
  Bytes bytes_;
};

}  // namespace comity::memory
