// SPDX-License-Identifier: BSD-3-Clause
// Residency: how much of a part of this process's address space is in memory. It allocates nothing and fails with 0, for it is asked
// from inside malloc. Pages at the edges count as far as they belong to the part.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::os {

// Needs some room; of one thread at a time.
class Residency {
 public:
  constexpr Residency() = default;

  // Of memory that is this process's alone (mincore).
  [[nodiscard]] std::uint64_t of_private(std::uintptr_t start, std::uint64_t bytes) noexcept;
  // Of a mapping that others or a file may share: what this process has in its page tables.
  [[nodiscard]] std::uint64_t of_shared(std::uintptr_t start, std::uint64_t bytes) noexcept;
  // What of_shared has opened is closed.
  void close() noexcept;

 private:
  static constexpr std::size_t kRoom_bytes = std::size_t{16} << 10U;

  int pages_ = -1;  // descriptor of the page tables; closed in between, for it is in a program of its own
  alignas(std::uint64_t) unsigned char room_[kRoom_bytes]{};
};

}  // namespace comity::os
