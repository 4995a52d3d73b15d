// SPDX-License-Identifier: BSD-3-Clause
// StackArea: one piece of memory cut into stacks of equal size, each above a guard: memory that cannot be touched, so that
// a stack that runs over ends there. A guard is wide, for a single frame may be larger than a page and touch its far end first.
// Not: who uses a stack (sched). Pages cost nothing before they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/files/mapping.hpp"

namespace comity::os {

enum class StackGuards : std::uint8_t {
  light,        // the kernel's light guards (Linux 6.13): they cost no mapping, but a word of page table for each page
  by_mprotect,  // two mappings each, and a process may have 65,530
  lowest_only,  // one below all stacks; who uses them looks after the others himself
};

class StackArea {
 public:
  // Throws Status::memory where there is no room, Status::system where the kernel refuses the guards.
  StackArea(std::size_t stacks, std::size_t stack_bytes, StackGuards guards);

  [[nodiscard]] std::size_t stacks() const { return stacks_; }
  [[nodiscard]] StackGuards guards() const { return guards_; }
  [[nodiscard]] std::size_t guard_bytes() const { return guard_bytes_; }
  // Without its guard; it grows down from the end.
  [[nodiscard]] std::span<std::byte> stack(std::size_t index) const;

  // The stack below whose end that address is, if it is in a guard; `stacks()` where it is in none.
  [[nodiscard]] std::size_t stack_over(const void* address) const noexcept;

 private:
  [[nodiscard]] std::byte* guard(std::size_t index) const { return memory_.bytes().data() + index * pitch_bytes_; }

  std::size_t stacks_;
  std::size_t guard_bytes_;
  std::size_t pitch_bytes_;  // of a stack and its guard, or the place of one
  StackGuards guards_;
  Mapping memory_;
};

// Whether this kernel has light guards: tried once.
[[nodiscard]] bool has_light_guards();

}  // namespace comity::os
