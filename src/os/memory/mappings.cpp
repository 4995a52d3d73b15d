// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/mappings.hpp"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "os/kernel.hpp"
#include "os/memory/in_pieces.hpp"

namespace comity::os {

bool maps_shared_pages(int flags) noexcept { return (flags & MAP_ANONYMOUS) == 0 || (flags & MAP_TYPE) != MAP_PRIVATE; }

bool maps_over(int flags) noexcept {
#ifdef MAP_FIXED_NOREPLACE
  if ((flags & MAP_FIXED_NOREPLACE) != 0) return false;
#endif
  return (flags & MAP_FIXED) != 0;
}

bool keeps_what_is_moved(int flags) noexcept {
  constexpr int kDontUnmap = 4;  // MREMAP_DONTUNMAP, Linux 5.7; headers may be older
  return (flags & kDontUnmap) != 0;
}

bool is_failed_mapping(const void* start) noexcept { return start == MAP_FAILED; }

namespace {

// Of hugetlbfs, where nobody asks for a size. That of others where the kernel does not tell.
std::uint64_t told_huge_page_bytes() noexcept {
  std::uint64_t bytes = 0;
  read_lines("/proc/meminfo", [&](std::string_view name, std::string_view line) {
    if (name != "Hugepagesize:") return Wanted::next_line;
    bytes = memory_text::kib(line).value_or(0);
    return Wanted::nothing_more;
  });
  return bytes > 0 ? bytes : page_bytes();
}

std::uint64_t huge_page_bytes() noexcept {
  static constinit std::atomic<std::uint64_t> known{0};
  if (known.load(std::memory_order_relaxed) == 0) known.store(told_huge_page_bytes(), std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed);
}

std::uint64_t page_bytes_of(int file) noexcept {
  struct statfs system {};
  if (::fstatfs(file, &system) != 0 || static_cast<std::uint64_t>(system.f_type) != HUGETLBFS_MAGIC)
    return page_bytes();
  return static_cast<std::uint64_t>(system.f_bsize);
}

}  // namespace

// A size that is asked for stands in the flags as its logarithm.
std::uint64_t mapped_page_bytes(int flags, int file) noexcept {
  constexpr unsigned kSizeAt = 26;
  constexpr unsigned kSizes = 64;
  const bool has_file = (flags & MAP_ANONYMOUS) == 0;
  if (!has_file && (flags & MAP_HUGETLB) == 0) return page_bytes();
  const int error = errno;
  const unsigned size = (static_cast<unsigned>(flags) >> kSizeAt) % kSizes;
  const std::uint64_t bytes = has_file ? page_bytes_of(file) : size == 0 ? huge_page_bytes() : std::uint64_t{1} << size;
  errno = error;
  return bytes;
}

std::uint64_t segment_bytes(int id) noexcept {
  shmid_ds segment{};
  return ::shmctl(id, IPC_STAT, &segment) == 0 ? segment.shm_segsz : 0;
}

std::uintptr_t program_break() noexcept {
  void* const end = ::sbrk(0);
  return end == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(end);
}

namespace {

// Done by the kernel, so that a page which may not be written to is no fault.
bool store_from_outside(std::uintptr_t* place, std::uintptr_t word) noexcept {
  iovec from{&word, sizeof word};
  iovec into{place, sizeof word};
  return ::process_vm_writev(process_id(), &from, 1, &into, 1, 0) == static_cast<ssize_t>(sizeof word);
}

}  // namespace

// Loads see the old word or the new one. A page that its linker is still to protect, and so is writing to itself, must not be
// protected by us: then nobody loads from it.
bool store_word(std::uintptr_t* place, std::uintptr_t word, bool is_protected) noexcept {
  if (is_protected && store_from_outside(place, word)) return true;
  const std::uintptr_t page = os::page_bytes();
  auto* const start = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
      reinterpret_cast<std::uintptr_t>(place) / page * page);
  if (is_protected && ::mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(place, word, __ATOMIC_RELEASE);
  if (is_protected) (void)::mprotect(start, page, PROT_READ);
  return true;
}

}  // namespace comity::os
