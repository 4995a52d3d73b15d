// SPDX-License-Identifier: BSD-3-Clause
// RankFile: the memory that a writer's chunks go to: the file itself where it can be mapped, else a copy that is written
// through. Two halves and a generation number that says which of them counts. Not: what stands in them (format).
// Invariant: a half is allocated before it is touched, so a full disk is an Error and never SIGBUS.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "os/files/folder.hpp"
#include "os/files/mapping.hpp"
#include "os/files/ofd_lock.hpp"
#include "record/format/bytes.hpp"
#include "record/format/header.hpp"

namespace comity::record {

class RankFile {
 public:
  // A new file of mode 0600 that will never be larger than `most_bytes`. Throws, and leaves no file, where it cannot be made.
  RankFile(const os::Folder& folder, const std::string& name, const Identity& who, std::uint64_t most_bytes);

  [[nodiscard]] std::uint64_t half_bytes() const { return half_bytes_; }
  // The memory of the half of a generation, allocated. Throws Status::memory where there is no room for it.
  [[nodiscard]] std::span<std::byte> half(std::uint64_t generation);
  // The memory of a half up to there is not needed for a while; what stands there stays in the file.
  void let_go(std::uint64_t generation, std::size_t end) noexcept;
  // Makes it count, in one store. What is in its half must be there before.
  void publish(std::uint64_t generation);
  // Bytes from..end of a generation's half go to the file, where it is not mapped. Throws where the file system is full.
  void write_through(std::uint64_t generation, std::size_t from, std::size_t end);
  [[nodiscard]] bool is_mapped() const { return plain_.empty(); }
  // True in a fork child: the file is its parent's.
  [[nodiscard]] bool lost_by_fork() const { return lock_->lost_by_fork(); }

 private:
  void make(const os::Folder& folder, const std::string& name, const Identity& who);
  void write_header(const Identity& who);
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t generation) const;

  std::uint64_t half_bytes_;
  os::Descriptor file_;
  std::unique_ptr<os::OfdLock> lock_;  // tells others that it is in use; on a description that is not mapped
  os::Mapping mapping_;
  std::vector<std::byte> plain_;  // as long as the file; empty where that is mapped
  std::span<std::byte> memory_;
  std::array<bool, 2> allocated_{};
};

}  // namespace comity::record
