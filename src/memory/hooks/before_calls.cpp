// SPDX-License-Identifier: BSD-3-Clause
// The functions that stand in callers' tables: those that map memory note whose it is, those that load objects have them
// looked at.
#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include "memory/hooks/calls.hpp"
#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/mapped/mappings.hpp"
#include "memory/hooks/program.hpp"
#include "memory/hooks/site_sums.hpp"
#include "os/kernel.hpp"
#include "os/memory/mappings.hpp"

namespace comity::memory::hooks {
namespace {

using Mmap = void*(void*, std::size_t, int, int, int, off_t);
using Munmap = int(void*, std::size_t);
using Mremap = void*(void*, std::size_t, std::size_t, int, ...);
using Shmat = void*(int, const void*, int);
using Shmdt = int(const void*);
using Brk = int(void*);
using Sbrk = void*(std::intptr_t);
using Dlopen = void*(const char*, int);
using Dlsym = void*(void*, const char*);
using Dlclose = int(void*);

std::uintptr_t address_of(const void* start) { return reinterpret_cast<std::uintptr_t>(start); }

std::uint64_t whole_pages(std::uint64_t bytes, std::uint64_t page_bytes = os::page_bytes()) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// What is still known there was mapped over, or has gone without our seeing it: it is too late to look at it.
void note_request(void* start, std::uint64_t bytes, bool is_shared, Owner owner) {
  mappings.forget(address_of(start), bytes);
  mappings.add({address_of(start), bytes, 0, owner.component(), is_shared, owner.site()});
  site_sums.count_request(owner.site(), bytes);
}

class KeptErrno {
 public:
  KeptErrno() = default;
  ~KeptErrno() { errno = error_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int error_ = errno;
};

// What may go remains its owner's until the kernel has taken it.
void look_before_removal(std::uintptr_t start, std::uint64_t bytes) {
  const KeptErrno kept;
  mappings.look_before_removal(start, bytes);
}

[[gnu::always_inline]] inline void* map(Call call, void* where, std::size_t bytes, int rights, int flags, int file,
                                        off_t offset) {
  if (os::maps_over(flags)) look_before_removal(address_of(where), whole_pages(bytes));
  void* const start = next_of<Mmap>(call)(where, bytes, rights, flags, file, offset);
  if (os::is_failed_mapping(start)) return start;
  const std::uint64_t all = whole_pages(bytes, os::mapped_page_bytes(flags, file));
  note_request(start, all, os::maps_shared_pages(flags), owner_of(call_site()));
  return start;
}

void* before_mmap(void* where, std::size_t bytes, int rights, int flags, int file, off_t offset) {
  return map(Call::mmap, where, bytes, rights, flags, file, offset);
}

void* before_mmap64(void* where, std::size_t bytes, int rights, int flags, int file, off_t offset) {
  return map(Call::mmap64, where, bytes, rights, flags, file, offset);
}

// What the kernel is about to take: whose each part was. What it would refuse is none of ours.
Mappings::Parts take_out(const void* start, std::size_t bytes) {
  if (bytes == 0 || address_of(start) % os::page_bytes() != 0) return {};
  const KeptErrno kept;
  return mappings.take_out(address_of(start),
                           whole_pages(bytes));  // where the caller has it: no copy on a stack that may be small
}

enum class Pages : std::uint8_t { are_there, have_gone };

void put_back(const Mappings::Parts& parts, Pages pages) {
  for (Range part : parts.all()) {
    if (pages == Pages::have_gone) part.seen_bytes = 0;
    mappings.add(part);
  }
  mappings.count_unplaced(parts.others);
}

// Before the kernel does it: after it the addresses may be another thread's. It refuses where it would have too many mappings, and parts
// of huge pages.
int before_munmap(void* start, std::size_t bytes) {
  const Mappings::Parts gone = take_out(start, bytes);
  const int result = next_of<Munmap>(Call::munmap)(start, bytes);
  if (result != 0) put_back(gone, Pages::are_there);
  return result;
}

// Whose the first part was, with what was seen of all. Where nothing goes, for a shared mapping is mapped once more, that of its own.
Range first_of(const Mappings::Parts& parts, const void* start, std::size_t bytes) {
  if (bytes == 0) {
    Range same = mappings.at(address_of(start));
    same.seen_bytes = 0;
    return same;
  }
  Range first;
  std::uint64_t seen_bytes = 0;
  for (const Range& part : parts.all()) {
    if (first.bytes == 0 || part.start < first.start) first = part;
    seen_bytes += part.seen_bytes;
  }
  first.seen_bytes = seen_bytes;
  return first;
}

// Moved or resized it remains its owner's, with its pages; so does a part of a mapping. Refused it is as it was, but for parts
// that nobody kept: those are counted.
void* before_mremap(void* start, std::size_t bytes, std::size_t now_bytes, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  void* const where = va_arg(more, void*);  // without meaning where the flags ask for none
  va_end(more);
  const Mappings::Parts gone = take_out(start, bytes);
  const Range first = first_of(gone, start, bytes);
  void* const moved = next_of<Mremap>(Call::mremap)(start, bytes, now_bytes, flags, where);
  if (os::is_failed_mapping(moved)) {
    put_back(gone, Pages::are_there);
    return moved;
  }
  if (os::keeps_what_is_moved(flags)) put_back(gone, Pages::have_gone);
  if (first.bytes == 0) return moved;
  const std::uint64_t now = whole_pages(now_bytes);
  mappings.forget(address_of(moved), now);
  mappings.add({address_of(moved), now, std::min(first.seen_bytes, now), first.component, first.is_shared, first.site});
  site_sums.count_request(first.site, now);
  return moved;
}

void* before_shmat(int id, const void* where, int flags) {
  void* const start = next_of<Shmat>(Call::shmat)(id, where, flags);
  const std::uint64_t bytes = os::is_failed_mapping(start) ? 0 : os::segment_bytes(id);
  if (bytes > 0) note_request(start, whole_pages(bytes), true, owner_of(call_site()));
  return start;
}

// It refuses what is mapped there otherwise.
int before_shmdt(const void* start) {
  const Range range = mappings.at(address_of(start));
  const Mappings::Parts gone = range.start == address_of(start) ? take_out(start, range.bytes) : Mappings::Parts{};
  const int result = next_of<Shmdt>(Call::shmdt)(start);
  if (result != 0) put_back(gone, Pages::are_there);
  return result;
}

// The break of the program, where somebody moves it by himself: malloc does so inside the C library, and is not seen. Of bytes, not of
// pages: who takes more goes on in the middle of one.
void note_new_break(std::uintptr_t before, std::uintptr_t now, Owner owner) {
  if (now <= before) return;
  mappings.forget(before, now - before);
  mappings.add({before, now - before, 0, owner.component(), false, owner.site()});
  site_sums.count_request(owner.site(), now - before);
}

void look_before_lower_break(std::uintptr_t before, std::uintptr_t asked) {
  if (asked < before) look_before_removal(asked, before - asked);
}

// Where it fell to is asked: the kernel leaves it where it is below the heap's start, and the C library calls that no error.
void note_fallen_break(std::uintptr_t before) {
  const std::uintptr_t now = os::program_break();
  if (now < before) mappings.forget(now, before - now);
}

int before_brk(void* end) {
  const std::uintptr_t before = os::program_break();
  look_before_lower_break(before, address_of(end));
  const int result = next_of<Brk>(Call::brk)(end);
  note_fallen_break(before);
  if (result == 0) note_new_break(before, address_of(end), owner_of(call_site()));
  return result;
}

void* before_sbrk(std::intptr_t bytes) {
  const std::uintptr_t before = bytes < 0 ? os::program_break() : 0;
  look_before_lower_break(before, before + static_cast<std::uintptr_t>(bytes));
  void* const start = next_of<Sbrk>(Call::sbrk)(bytes);
  note_fallen_break(before);
  if (bytes > 0 && !os::is_failed_mapping(start))
    note_new_break(address_of(start), address_of(start) + static_cast<std::uintptr_t>(bytes), owner_of(call_site()));
  return start;
}

// The linker looks for a library where its caller's own object says, and tells the caller by the return address: so the
// next function has to be called as if we were not there, with nothing left to do behind it. What came is looked at by
// who asks for a name in it, or loads the next one, and behind calls of MPI (ledger).
void* before_dlopen(const char* file, int mode) {
  stand_before_calls();
  return next_of<Dlopen>(Call::dlopen)(file, mode);
}

void* before_dlsym(void* object, const char* name) {
  stand_before_calls();
  return next_of<Dlsym>(Call::dlsym)(object, name);
}

int before_dlclose(void* object) {
  const int result = next_of<Dlclose>(Call::dlclose)(object);
  forget_objects();
  return result;
}

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* our_function(Call call) noexcept {
  switch (call) {
    case Call::mmap:
      return address(&before_mmap);
    case Call::mmap64:
      return address(&before_mmap64);
    case Call::munmap:
      return address(&before_munmap);
    case Call::mremap:
      return address(&before_mremap);
    case Call::shmat:
      return address(&before_shmat);
    case Call::shmdt:
      return address(&before_shmdt);
    case Call::brk:
      return address(&before_brk);
    case Call::sbrk:
      return address(&before_sbrk);
    case Call::dlopen:
      return address(&before_dlopen);
    case Call::dlsym:
      return address(&before_dlsym);
    case Call::dlclose:
      return address(&before_dlclose);
  }
  return nullptr;
}

}  // namespace comity::memory::hooks
