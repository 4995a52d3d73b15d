// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/mapping.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <string>

#include "base/error.hpp"

namespace comity::os {

Mapping Mapping::map(int descriptor, std::size_t bytes, int flags) {
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, descriptor, 0);
  if (start == MAP_FAILED) throw system_error("map " + std::to_string(bytes) + " bytes of shared memory", errno);
  return {static_cast<std::byte*>(start), bytes};
}

Mapping Mapping::shared(const Descriptor& file, std::size_t bytes) { return map(file.number(), bytes, 0); }

Mapping Mapping::anonymous(std::size_t bytes) { return map(-1, bytes, MAP_ANONYMOUS); }

Mapping::~Mapping() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

}  // namespace comity::os
