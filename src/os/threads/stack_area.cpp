// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/stack_area.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "os/kernel.hpp"

namespace comity::os {
namespace {

constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL, which the headers of older systems lack

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

// As wide as the stack, so that no frame that the stack could hold steps over it. A light one costs 2 KB of page tables a MiB, one by
// mprotect nothing but addresses. Where there is none the place keeps a stack that runs over out of its neighbour's.
std::size_t guard_bytes_of(std::size_t stack_bytes, StackGuards guards) {
  constexpr std::size_t kNarrowest = std::size_t{256} << 10;
  constexpr std::size_t kWidest = std::size_t{1} << 20;
  if (guards == StackGuards::by_mprotect) return round_up(kWidest, page_bytes());
  return round_up(std::clamp(stack_bytes, kNarrowest, kWidest), page_bytes());
}

int install(std::byte* guard, std::size_t bytes, StackGuards guards) {
  if (guards == StackGuards::light) return ::madvise(guard, bytes, kGuardInstall);
  return ::mprotect(guard, bytes, PROT_NONE);
}

}  // namespace

bool has_light_guards() {
  static const bool has =
      install(Mapping::reserved(page_bytes()).bytes().data(), page_bytes(), StackGuards::light) == 0;
  return has;
}

StackArea::StackArea(std::size_t stacks, std::size_t stack_bytes, StackGuards guards)
    : stacks_(stacks),
      guard_bytes_(guard_bytes_of(stack_bytes, guards)),
      pitch_bytes_(round_up(stack_bytes, page_bytes()) + guard_bytes_),
      guards_(guards),
      memory_(Mapping::reserved(stacks * pitch_bytes_)) {
  const std::size_t guarded = guards == StackGuards::lowest_only ? 1 : stacks;
  for (std::size_t i = 0; i < guarded; ++i) {
    if (install(guard(i), guard_bytes_, guards) != 0) {
      throw system_error("guard " + std::to_string(stacks) + " stacks against running over", errno,
                         "the process has too many mappings; use fewer fibers at a time");
    }
  }
}

std::span<std::byte> StackArea::stack(std::size_t index) const {
  return {guard(index) + guard_bytes_, pitch_bytes_ - guard_bytes_};
}

std::size_t StackArea::stack_over(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto start = reinterpret_cast<std::uintptr_t>(guard(0));
  if (at < start || at >= start + stacks_ * pitch_bytes_) return stacks_;
  const std::size_t index = (at - start) / pitch_bytes_;
  const bool guarded = guards_ != StackGuards::lowest_only || index == 0;
  return guarded && (at - start) % pitch_bytes_ < guard_bytes_ ? index : stacks_;
}

}  // namespace comity::os
