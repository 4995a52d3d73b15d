// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/pages.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include "os/kernel.hpp"

namespace comity::os {
namespace {

// Bits of an entry of pagemap: Documentation/admin-guide/mm/pagemap.rst.
constexpr std::uint64_t kPresent = 1ULL << 63U;
constexpr std::uint64_t kSwapped = 1ULL << 62U;
constexpr std::uint64_t kOfFile = 1ULL << 61U;
constexpr std::uint64_t kExclusive = 1ULL << 56U;

// Returns whether there are pages that may be the zero page: nobody's alone, and no file's.
bool add(std::span<const std::uint64_t> entries, PageCounts& counts) {
  bool may_have_zero_page = false;
  for (const std::uint64_t entry : entries) {
    counts.swapped += (entry & kSwapped) != 0 ? 1 : 0;
    if ((entry & kPresent) == 0) continue;
    ++counts.resident;
    counts.exclusive += (entry & kExclusive) != 0 ? 1 : 0;
    counts.file += (entry & kOfFile) != 0 ? 1 : 0;
    may_have_zero_page = may_have_zero_page || (entry & (kExclusive | kOfFile)) == 0;
  }
  return may_have_zero_page;
}

// PAGEMAP_SCAN of the same document, from Linux 6.7 on; the headers that we are built with may be older.
struct Scan {
  std::uint64_t bytes = sizeof(Scan);
  std::uint64_t flags = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t walked_until = 0;
  std::uint64_t regions = 0;  // an address
  std::uint64_t room = 0;
  std::uint64_t most_pages = 0;
  std::uint64_t inverted = 0;
  std::uint64_t all_of = 0;
  std::uint64_t any_of = 0;
  std::uint64_t told = 0;
};
struct ScanRegion {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t categories = 0;
};
constexpr unsigned long kScan = _IOWR('f', 16, Scan);
constexpr std::uint64_t kOfZeroPage = 1U << 5U;
constexpr std::uint64_t kHuge = 1U << 6U;

struct InCore {
  std::uint64_t pages = 0;
  bool has_first = false;
  bool has_last = false;
};

constexpr std::size_t kRoomForCore = 4096 / sizeof(std::uint64_t);  // a byte a page
constexpr std::size_t kRoomForEntries = 1024;
constexpr std::size_t kRoomForRegions = 64 * sizeof(ScanRegion) / sizeof(std::uint64_t);

std::optional<InCore> in_core(std::uint64_t start, std::uint64_t end, PageRoom room) noexcept {
  const std::span there(reinterpret_cast<unsigned char*>(room.data()), room.size_bytes());
  const auto is_there = [](unsigned char each) { return (each & 1U) != 0; };
  const std::uint64_t page = page_bytes();
  const std::uint64_t first = start - start % page;
  InCore found;
  for (start = first; start < end;) {
    const std::uint64_t bytes = std::min(end - start, there.size() * page);
    if (::mincore(reinterpret_cast<void*>(start), bytes, there.data()) != 0) return std::nullopt;
    const auto told = there.first((bytes + page - 1) / page);
    found.pages += static_cast<std::uint64_t>(std::count_if(told.begin(), told.end(), is_there));
    if (start == first) found.has_first = is_there(told.front());
    found.has_last = is_there(told.back());
    start += bytes;
  }
  return found;
}

}  // namespace

Pagemap::Pagemap(Descriptor file) : file_(std::move(file)), page_bytes_(page_bytes()) {}

Pagemap::Pagemap(pid_t process) : Pagemap(open_file("/proc/" + std::to_string(process) + "/pagemap", O_RDONLY)) {}

std::optional<Pagemap> Pagemap::of_this_process() noexcept {
  Descriptor file(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  return Pagemap(std::move(file));
}

std::optional<PageCounts> Pagemap::count(std::uint64_t start, std::uint64_t end) const noexcept {
  std::array<std::uint64_t, kRoomForEntries> room;  // NOLINT(*-member-init): what is not read is not used
  return count(start, end, room);
}

std::optional<PageCounts> Pagemap::count(std::uint64_t start, std::uint64_t end, PageRoom room) const noexcept {
  PageCounts counts;
  bool may_have_zero_page = false;
  std::uint64_t page = start / page_bytes_;
  const std::uint64_t behind = end / page_bytes_ + (end % page_bytes_ != 0 ? 1 : 0);
  while (page < behind) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), behind - page));
    const ssize_t got =
        ::pread(file_.number(), room.data(), wanted * sizeof room[0], static_cast<off_t>(page * sizeof room[0]));
    if (got < 0 && errno == EINTR) continue;
    const auto read = got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof room[0];
    if (read == 0) return std::nullopt;
    may_have_zero_page |= add(room.first(read), counts);
    page += read;
  }
  if (may_have_zero_page) counts.resident -= std::min(counts.resident, zero_pages(start, end, room));
  return counts;
}

std::uint64_t Pagemap::zero_pages(std::uint64_t start, std::uint64_t end) const noexcept {
  std::array<std::uint64_t, kRoomForRegions> room;  // NOLINT(*-member-init): what is not told is not used
  return zero_pages(start, end, room);
}

std::uint64_t Pagemap::zero_pages(std::uint64_t start, std::uint64_t end, PageRoom room) const noexcept {
  const std::span regions(reinterpret_cast<const ScanRegion*>(room.data()), room.size_bytes() / sizeof(ScanRegion));
  Scan scan{.start = start - start % page_bytes_,
            .end = (end + page_bytes_ - 1) / page_bytes_ * page_bytes_,
            .regions = reinterpret_cast<std::uintptr_t>(regions.data()),
            .room = regions.size(),
            .all_of = kOfZeroPage,
            .told = kOfZeroPage};
  std::uint64_t bytes = 0;
  while (scan.start < scan.end) {
    const int found = ::ioctl(file_.number(), kScan, &scan);
    if (found < 0 && errno == EINTR) continue;
    if (found < 0 || scan.walked_until <= scan.start) break;
    for (const ScanRegion& region : regions.first(static_cast<std::size_t>(found))) {
      bytes += region.end - region.start;
    }
    scan.start = scan.walked_until;
  }
  return bytes / page_bytes_;
}

bool Pagemap::is_huge(std::uint64_t address) const noexcept {
  ScanRegion region;
  const std::uint64_t start = address - address % page_bytes_;
  Scan scan{.start = start,
            .end = start + page_bytes_,
            .regions = reinterpret_cast<std::uintptr_t>(&region),
            .room = 1,
            .all_of = kHuge,
            .told = kHuge};
  return ::ioctl(file_.number(), kScan, &scan) > 0;
}

std::optional<std::uint64_t> pages_in_core(std::uint64_t start, std::uint64_t end) noexcept {
  std::array<std::uint64_t, kRoomForCore> room;  // NOLINT(*-member-init): what is not told is not used
  return pages_in_core(start, end, room);
}

std::optional<std::uint64_t> pages_in_core(std::uint64_t start, std::uint64_t end, PageRoom room) noexcept {
  const std::optional<InCore> found = in_core(start, end, room);
  return found ? std::optional(found->pages) : std::nullopt;
}

std::optional<std::uint64_t> bytes_in_core(std::uint64_t start, std::uint64_t end) noexcept {
  std::array<std::uint64_t, kRoomForCore> room;  // NOLINT(*-member-init): what is not told is not used
  return bytes_in_core(start, end, room);
}

std::optional<std::uint64_t> bytes_in_core(std::uint64_t start, std::uint64_t end, PageRoom room) noexcept {
  const std::optional<InCore> found = in_core(start, end, room);
  if (!found) return std::nullopt;
  const std::uint64_t page = page_bytes();
  std::uint64_t bytes = found->pages * page;
  if (found->has_first) bytes -= start % page;
  if (found->has_last) bytes -= (page - end % page) % page;
  return bytes;
}

}  // namespace comity::os
