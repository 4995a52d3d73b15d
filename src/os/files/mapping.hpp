// SPDX-License-Identifier: BSD-3-Clause
// Mapping: the one owner of a piece of mapped memory, writable; shared but where a maker says otherwise.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "os/files/descriptor.hpp"

namespace comity::os {

class Mapping {
 public:
  Mapping() = default;
  // The first `bytes` of a file. The mapping outlives the descriptor.
  [[nodiscard]] static Mapping shared(const Descriptor& file, std::size_t bytes);
  // Zeroed memory that fork children share.
  [[nodiscard]] static Mapping anonymous(std::size_t bytes);
  // Zeroed memory of this process alone; a fork child finds zeros there again.
  [[nodiscard]] static Mapping forgotten_by_children(std::size_t bytes);
  // Zeroed memory of this process alone that takes pages, small ones, where it is touched.
  [[nodiscard]] static Mapping reserved(std::size_t bytes);

  Mapping(Mapping&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  [[nodiscard]] std::span<std::byte> bytes() const { return {start_, bytes_}; }
  // Of the shared mapping of a file: whole pages of this part leave the process until they are touched again. What stands there stays in the file.
  static void let_go_of_file_pages(std::span<std::byte> part) noexcept;

 private:
  Mapping(std::byte* start, std::size_t bytes) : start_(start), bytes_(bytes) {}
  static Mapping map(int descriptor, std::size_t bytes, int flags);  // MAP_SHARED or MAP_PRIVATE among them

  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace comity::os
