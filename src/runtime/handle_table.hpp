// SPDX-License-Identifier: BSD-3-Clause
// HandleTable: opaque handles that can be checked. A handle is a slot and the slot's generation, so one that is freed or
// invented is told apart and never followed.
// Invariant: a handle is odd (no pointer to an object is), names its table's kind, and its generation equals its slot's
// exactly while it lives.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.hpp"

namespace comity::runtime {

template <typename Object, std::size_t kSlots, std::uintptr_t kKind>
class HandleTable {
 public:
  explicit HandleTable(const char* what) : what_(what) {}

  // Takes the object; throws Status::memory when all slots are in use.
  [[nodiscard]] std::uintptr_t add(std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < kSlots; ++i) {
      Slot& slot = slot_made(i);
      if (slot.object) continue;
      slot.object = std::move(object);
      const std::uint64_t generation = slot.generation.load(std::memory_order_relaxed) + 1;  // odd: alive
      slot.generation.store(generation, std::memory_order_release);
      ++alive_;
      return static_cast<std::uintptr_t>((generation << kSlotBits) | (i << kKindBits << 1) | (kKind << 1) | 1U);
    }
    throw Error(Status::memory, "create a " + std::string(what_) + ": " + std::to_string(kSlots) +
                                    " are alive in this process; free those that are no longer needed");
  }

  // The object of a live handle; throws Status::handle otherwise. The caller keeps others from freeing it meanwhile.
  [[nodiscard]] Object& at(std::uintptr_t handle) {
    Slot* slot = find(handle);
    if (slot == nullptr) reject(handle);
    return *slot->object;
  }

  // Ends the handle and hands the object out.
  [[nodiscard]] std::unique_ptr<Object> take(std::uintptr_t handle) {
    const std::lock_guard lock(mutex_);
    Slot* slot = find(handle);
    if (slot == nullptr) reject(handle);
    slot->generation.fetch_add(1, std::memory_order_release);  // even: free
    --alive_;
    return std::move(slot->object);
  }

  [[nodiscard]] std::size_t alive() const {
    const std::lock_guard lock(mutex_);
    return alive_;
  }

 private:
  static constexpr unsigned kSlotBits = 16;
  static constexpr unsigned kKindBits = 2;
  static_assert(kKind < (1U << kKindBits));
  static_assert(kSlots <= (1U << (kSlotBits - kKindBits - 1)));

  struct Slot {
    std::atomic<std::uint64_t> generation{0};  // release in add/take, acquire in find
    std::unique_ptr<Object> object;
  };

  // Most processes have a handful of handles: the memory of the others is never touched.
  static constexpr std::size_t kChunk = 64;
  static_assert(kSlots % kChunk == 0);
  using Chunk = std::array<Slot, kChunk>;

  [[nodiscard]] Slot& slot_made(std::size_t index) {
    std::atomic<Chunk*>& chunk = chunks_[index / kChunk];
    if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Chunk, std::memory_order_release);
    return (*chunk.load(std::memory_order_relaxed))[index % kChunk];
  }

  [[nodiscard]] Slot* find(std::uintptr_t handle) {
    const std::size_t index = (handle & ((1U << kSlotBits) - 1)) >> (kKindBits + 1);
    const bool mine = (handle & ((1U << (kKindBits + 1)) - 1)) == ((kKind << 1) | 1U);
    const std::uint64_t generation = handle >> kSlotBits;
    if (!mine || index >= kSlots || generation % 2 == 0) return nullptr;
    Chunk* const chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    if (chunk == nullptr) return nullptr;
    Slot& slot = (*chunk)[index % kChunk];
    return slot.generation.load(std::memory_order_acquire) == generation ? &slot : nullptr;
  }

  [[noreturn]] void reject(std::uintptr_t handle) const {
    if (handle == 0) throw Error(Status::argument, "the " + std::string(what_) + " is null; create it first");
    throw Error(Status::handle, "the handle is not a live " + std::string(what_) +
                                    ": it was freed, or never created; use what create returned, until free");
  }

  const char* what_;
  mutable std::mutex mutex_;
  std::array<std::atomic<Chunk*>, kSlots / kChunk>
      chunks_{};  // made when first needed, kept for the life of the process
  std::size_t alive_ = 0;
};

}  // namespace comity::runtime
