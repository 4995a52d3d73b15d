// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/own_memory.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>

namespace comity::os {

OwnMemory::OwnMemory() : file_(open_file("/proc/self/mem", O_RDONLY)) {}

std::size_t OwnMemory::copy(std::uint64_t start, std::span<std::byte> into) const noexcept {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(file_.number(), into.data() + done, into.size() - done, static_cast<off_t>(start + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void give_back_free_memory() noexcept { (void)::malloc_trim(0); }

void keep_free_memory() noexcept {
  constexpr int kLargeBlock = 32 << 20, kKept = 1 << 30;  // [bytes] the first is the most that glibc takes
  (void)::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  (void)::mallopt(M_TRIM_THRESHOLD, kKept);
}

}  // namespace comity::os
