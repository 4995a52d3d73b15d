// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/mappings.hpp"

#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <unistd.h>

#include "os/kernel.hpp"

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
