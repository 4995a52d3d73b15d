// SPDX-License-Identifier: BSD-3-Clause
// This process's own memory, read in copies: memory that another thread unmaps meanwhile is an answer, not a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/files/descriptor.hpp"

namespace comity::os {

class OwnMemory {
 public:
  OwnMemory();  // Throws Status::system where the kernel does not let a process read itself so.

  // [bytes] How many of those from `start` on could be read, without a gap.
  [[nodiscard]] std::size_t copy(std::uint64_t start, std::span<std::byte> into) const noexcept;

 private:
  Descriptor file_;
};

// What malloc keeps of memory that was given back to it goes to the system, where its malloc is glibc's.
void give_back_free_memory() noexcept;

// The other way round: malloc keeps it, up to a gigabyte, and large blocks too, for a process that ends soon and asks for as much again until
// then: the system would have to clear each page anew.
void keep_free_memory() noexcept;

}  // namespace comity::os
