// SPDX-License-Identifier: BSD-3-Clause
// Descriptor: the one owner of a file descriptor. Every descriptor of this library is close-on-exec.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace comity::os {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// O_CLOEXEC is added. Throws with the path and the errno's words.
[[nodiscard]] Descriptor open_file(const std::string& path, int flags, mode_t mode = 0);

// An existing file for reading and writing. Whatever it turns out to be, opening it neither waits nor takes a terminal.
[[nodiscard]] Descriptor open_existing(const std::string& path);
[[nodiscard]] Descriptor open_to_read(const std::string& path);  // the same for reading alone

// A second, independent open file description of the same file: unlike a duplicate it has locks of its own.
[[nodiscard]] Descriptor reopen(const Descriptor& file, int flags);
[[nodiscard]] Descriptor reopen(const Descriptor& file);  // as open_existing does

struct FileFacts {
  bool regular = false;
  std::uint64_t bytes = 0;
  std::uint64_t links = 0;
  uid_t owner = 0;
};

[[nodiscard]] FileFacts file_facts(const Descriptor& file);
[[nodiscard]] FileFacts file_facts(const std::string& path);  // follows links, also those of /proc/<pid>/fd

// Reads until `into` is full or the file ends; returns the bytes read.
[[nodiscard]] std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset);

// Writes all of `from`. Throws Status::memory where the file system is full.
void write_at(const Descriptor& file, std::span<const std::byte> from, std::uint64_t offset);

// Allocates these bytes of a file, which grows to hold them: from then on they can be written, also through a mapping. Throws
// Status::memory where the file system is full.
void reserve(const Descriptor& file, std::uint64_t offset, std::uint64_t bytes);

}  // namespace comity::os
