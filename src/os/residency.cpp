// SPDX-License-Identifier: BSD-3-Clause
#include "os/residency.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace comity::os {
namespace {

// A part, cut along pages.
struct Pages {
  std::uintptr_t start;
  std::uintptr_t end;
  std::uint64_t page_bytes;

  [[nodiscard]] std::uintptr_t first() const { return start / page_bytes * page_bytes; }
  [[nodiscard]] std::size_t count() const { return (end - first() + page_bytes - 1) / page_bytes; }
  [[nodiscard]] std::uintptr_t page(std::size_t number) const { return first() + number * page_bytes; }
  [[nodiscard]] std::uint64_t inside(std::size_t number) const {
    return std::min(end, page(number + 1)) - std::max(start, page(number));
  }
};

Pages pages_of(std::uintptr_t start, std::uint64_t bytes) {
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {start, start + bytes, page_bytes};
}

constexpr std::uint64_t kPresent = std::uint64_t{1} << 63U;  // of a word of /proc/self/pagemap

}  // namespace

// A hole in the part is no error: then the page tables tell.
std::uint64_t Residency::of_private(std::uintptr_t start, std::uint64_t bytes) noexcept {
  if (bytes == 0) return 0;
  const Pages pages = pages_of(start, bytes);
  std::uint64_t resident_bytes = 0;
  for (std::size_t done = 0; done < pages.count(); done += kRoom_bytes) {
    const std::size_t now = std::min(kRoom_bytes, pages.count() - done);
    auto* const from = reinterpret_cast<void*>(pages.page(done));  // NOLINT(performance-no-int-to-ptr)
    if (::mincore(from, now * pages.page_bytes, room_) != 0) return of_shared(start, bytes);
    for (std::size_t i = 0; i < now; ++i) {
      if ((room_[i] & 1U) != 0) resident_bytes += pages.inside(done + i);
    }
  }
  return resident_bytes;
}

std::uint64_t Residency::of_shared(std::uintptr_t start, std::uint64_t bytes) noexcept {
  if (bytes == 0) return 0;
  if (pages_ < 0) pages_ = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages_ < 0) return 0;
  const Pages pages = pages_of(start, bytes);
  constexpr std::size_t kWords = kRoom_bytes / sizeof(std::uint64_t);
  std::uint64_t resident_bytes = 0;
  for (std::size_t done = 0; done < pages.count(); done += kWords) {
    const std::size_t now = std::min(kWords, pages.count() - done);
    const auto place = static_cast<off_t>(pages.page(done) / pages.page_bytes * sizeof(std::uint64_t));
    const ssize_t got = ::pread(pages_, room_, now * sizeof(std::uint64_t), place);
    if (got <= 0) break;
    for (std::size_t i = 0; i < static_cast<std::size_t>(got) / sizeof(std::uint64_t); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, &room_[i * sizeof word], sizeof word);
      if ((word & kPresent) != 0) resident_bytes += pages.inside(done + i);
    }
  }
  return resident_bytes;
}

void Residency::close() noexcept {
  if (pages_ >= 0) (void)::close(pages_);
  pages_ = -1;
}

}  // namespace comity::os
