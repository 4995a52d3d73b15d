// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/mapping.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "os/kernel.hpp"

namespace comity::os {

Mapping Mapping::map(int descriptor, std::size_t bytes, int flags) {
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (start == MAP_FAILED) throw system_error("map " + std::to_string(bytes) + " bytes of memory", errno);
  return {static_cast<std::byte*>(start), bytes};
}

Mapping Mapping::shared(const Descriptor& file, std::size_t bytes) { return map(file.number(), bytes, MAP_SHARED); }

Mapping Mapping::anonymous(std::size_t bytes) { return map(-1, bytes, MAP_SHARED | MAP_ANONYMOUS); }

Mapping Mapping::forgotten_by_children(std::size_t bytes) {
  Mapping made = map(-1, bytes, MAP_PRIVATE | MAP_ANONYMOUS);
  if (::madvise(made.start_, bytes, MADV_WIPEONFORK) != 0) throw system_error("keep memory from fork children", errno);
  return made;
}

Mapping Mapping::reserved(std::size_t bytes) {
  Mapping made = map(-1, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  (void)::madvise(made.start_, bytes, MADV_NOHUGEPAGE);  // refused only where there are no huge pages
  return made;
}

void Mapping::let_go_of_file_pages(std::span<std::byte> part) noexcept {
  const std::size_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const std::size_t before = (page - begin % page) % page;
  if (part.size() < before + page) return;
  const std::size_t bytes = (part.size() - before) / page * page;
  (void)::madvise(part.data() + before, bytes, MADV_DONTNEED);  // refused they stay, which costs memory alone
}

Mapping::~Mapping() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

}  // namespace comity::os
