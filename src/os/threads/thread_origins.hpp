// SPDX-License-Identifier: BSD-3-Clause
// ThreadOrigins: in which program or library a thread of this process begins, by what its maker gave to pthread_create: the C
// library keeps that for debuggers. Not: what the thread does now.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "os/memory/own_memory.hpp"

namespace comity::os {

class ThreadOrigins {
 public:
  // Where the kernel or the C library tells nothing, all origins are unknown.
  ThreadOrigins();

  // The start of that object (LoadedObject::start); of a std::thread, of what made it. None: the main thread, or not known: it
  // has not begun yet, has ended, or somebody who stands before pthread_create began it.
  [[nodiscard]] std::optional<std::uintptr_t> of(pid_t thread) const noexcept;
  [[nodiscard]] bool is_in_program(pid_t thread) const noexcept;
  [[nodiscard]] bool is_program(
      std::optional<std::uintptr_t> object) const noexcept;  // not where the program is not known
  // The start of the object that has that symbol, of those that the linker knows: where threads that it makes begin. None where
  // nobody has it, of which the C library allocates a message.
  [[nodiscard]] static std::optional<std::uintptr_t> owner_of(const char* symbol) noexcept;
  // Whether that owner is the program itself.
  [[nodiscard]] static bool has_program(const char* symbol) noexcept;
  // The kernel did not let this process read itself, as where it has no descriptor left: another one made later may know more.
  [[nodiscard]] bool is_refused() const noexcept { return layout_ && !memory_; }

 private:
  // [bytes] Where fields of the C library's record of a thread are, from its begin on.
  struct Layout {
    std::size_t robust_list;  // whose address the kernel tells
    std::size_t id;
    std::size_t start;
  };

  [[nodiscard]] static std::optional<Layout> find_layout() noexcept;
  template <typename Value>
  [[nodiscard]] std::optional<Value> read(std::uintptr_t address) const noexcept;

  std::optional<Layout> layout_;
  std::optional<OwnMemory> memory_;
  std::uintptr_t program_ = 0;      // the object, 0: not known
  std::uintptr_t interceptor_ = 0;  // the object that stands before pthread_create, 0: none does
};

}  // namespace comity::os
