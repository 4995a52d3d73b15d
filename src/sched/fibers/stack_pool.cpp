// SPDX-License-Identifier: BSD-3-Clause
#include "sched/fibers/stack_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "base/error.hpp"

namespace comity::sched {
namespace {

constexpr std::size_t kFewestInArea = 32;
constexpr std::size_t kMostInArea = 1024;
// Fibers at one place of each page would all want the same few sets of the cache.
constexpr std::size_t kColours = 8;
constexpr std::size_t kColourBytes = sizeof(Fiber);

std::atomic<std::uint64_t> fibers_made{0};

os::StackGuards best_guards() { return os::has_light_guards() ? os::StackGuards::light : os::StackGuards::by_mprotect; }

Fiber& put_fiber(std::span<std::byte> stack, std::size_t index) {
  std::byte* const place = stack.data() + stack.size() - sizeof(Fiber) - (index % kColours) * kColourBytes;
  Fiber& fiber = *new (place) Fiber;
  fiber.stack_low = stack.data();
  fiber.stack_bytes = static_cast<std::size_t>(place - stack.data());
  fiber.number = fibers_made.fetch_add(1, std::memory_order_relaxed) + 1;
  return fiber;
}

}  // namespace

struct StackPool::Area {
  os::StackArea memory;
  Fiber** fibers;  // by the index of their stacks
  Area* next;
};

StackPool::StackPool(std::size_t stack_bytes) : StackPool(stack_bytes, best_guards()) {}

StackPool::StackPool(std::size_t stack_bytes, os::StackGuards guards, std::size_t most_protected)
    : stack_bytes_(stack_bytes), wanted_guards_(guards), most_protected_(most_protected) {
  if (stack_bytes < kSmallestStack) {
    throw Error(Status::range, "stacks of " + std::to_string(stack_bytes) + " bytes for fibers: too small; ask for " +
                                   std::to_string(kSmallestStack) + " or more");
  }
}

StackPool::~StackPool() {
  for (Area* area = areas_.load(); area != nullptr;) {
    Area* const next = area->next;
    delete[] area->fibers;
    delete area;
    area = next;
  }
}

os::StackGuards StackPool::guards() const {
  const bool too_many = wanted_guards_ == os::StackGuards::by_mprotect && made_ >= most_protected_;
  return too_many ? os::StackGuards::lowest_only : wanted_guards_;
}

void StackPool::make_area() {
  const std::size_t stacks = std::clamp(made_, kFewestInArea, kMostInArea);
  auto fibers = std::make_unique<Fiber*[]>(stacks);
  auto area = std::make_unique<Area>(Area{os::StackArea(stacks, stack_bytes_, guards()), nullptr, areas_.load()});
  const bool guarded = area->memory.guards() != os::StackGuards::lowest_only;
  for (std::size_t i = stacks; i-- > 0;) {
    const auto stack = area->memory.stack(i);
    Fiber& fiber = put_fiber(stack, i);
    if (!guarded) fiber.canary = new (stack.data()) std::uint64_t(kCanary);
    fibers[i] = &fiber;
    fiber.next = kept_;
    kept_ = &fiber;
  }
  kept_count_ += stacks;
  made_ += stacks;
  area->fibers = fibers.release();
  areas_.store(area.release(), std::memory_order_release);
}

void StackPool::refill(StackShelf& shelf) {
  const std::lock_guard lock(mutex_);
  if (kept_ == nullptr) make_area();
  for (std::size_t i = 0; i < kBatch && kept_ != nullptr; ++i) {
    Fiber* const fiber = kept_;
    kept_ = fiber->next;
    fiber->next = shelf.first;
    shelf.first = fiber;
    ++shelf.count;
    --kept_count_;
  }
  most_in_use_ = std::max(most_in_use_, made_ - kept_count_);
}

void StackPool::spill(StackShelf& shelf) noexcept {
  const std::lock_guard lock(mutex_);
  // The one on top was left just now, and may still be warm: it stays.
  Fiber* const warm = shelf.first;
  for (std::size_t i = 0; i < kBatch; ++i) {
    Fiber* const fiber = warm->next;
    warm->next = fiber->next;
    fiber->next = kept_;
    kept_ = fiber;
  }
  shelf.count -= kBatch;
  kept_count_ += kBatch;
}

void StackPool::empty(StackShelf& shelf) noexcept {
  const std::lock_guard lock(mutex_);
  while (shelf.first != nullptr) {
    Fiber* const fiber = shelf.first;
    shelf.first = fiber->next;
    fiber->next = kept_;
    kept_ = fiber;
    ++kept_count_;
  }
  shelf.count = 0;
}

StackCount StackPool::count() const {
  const std::lock_guard lock(mutex_);
  return {made_, made_ - kept_count_, most_in_use_};
}

const StackPool::Area* StackPool::next_of(const Area& area) noexcept { return area.next; }

std::span<Fiber* const> StackPool::fibers_of(const Area& area) noexcept { return {area.fibers, area.memory.stacks()}; }

const Fiber* StackPool::fiber_over(const void* address) const noexcept {
  for (const Area* area = areas_.load(std::memory_order_acquire); area != nullptr; area = area->next) {
    const std::size_t index = area->memory.stack_over(address);
    if (index < area->memory.stacks()) return area->fibers[index];
  }
  return nullptr;
}

void StackPool::check_canary(const Fiber& fiber) noexcept { check_stack(fiber); }

std::size_t describe_overflow(const Fiber& fiber, std::span<char> text) noexcept {
  const bool named = fiber.name[0] != '\0';
  const int length =
      std::snprintf(text.data(), text.size(),
                    "comity: error: [sched] the stack of fiber %llu%s%s%s ran over: it has %zu KB; give fibers larger "
                    "stacks, or put large arrays on the heap (pid %d)\n",
                    static_cast<unsigned long long>(fiber.number), named ? " (" : "", fiber.name.data(),
                    named ? ")" : "", fiber.stack_bytes / 1024, static_cast<int>(::getpid()));
  return length < 0 ? 0 : std::min(static_cast<std::size_t>(length), text.size());
}

void end_of_overflow(const Fiber& fiber) noexcept {
  std::array<char, 512> text;
  const std::size_t bytes = describe_overflow(fiber, text);
  (void)!::write(STDERR_FILENO, text.data(), bytes);
  std::abort();
}

OverflowMessage::OverflowMessage(const StackPool& pool)
    : message_(
          [](const void* with, const void* address, std::span<char> text) noexcept -> std::size_t {
            const Fiber* const fiber = static_cast<const StackPool*>(with)->fiber_over(address);
            return fiber == nullptr ? 0 : describe_overflow(*fiber, text);
          },
          &pool) {}

}  // namespace comity::sched
