// SPDX-License-Identifier: BSD-3-Clause
// AddressIndex: which ranges may lie in a part of the address space, by their numbers. Ranges of the same class, those that are as long as one
// another but for a factor of two, are found by the bucket in which they begin, which is as wide as they are long at the most: so one that
// reaches into a place begins in its bucket or in one of the two before. Buckets are hashed into groups of a cache line.
// No lock, no allocation: an entry is one word. Not: the ranges (mappings).
// Invariant: a range that was put in, and not taken out, is found by whoever asks for any part of it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace comity::memory::hooks {

class AddressIndex {
 public:
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 14U;

  constexpr AddressIndex() = default;

  // False: there is no room near.
  [[nodiscard]] bool insert(std::uintptr_t start, std::uint64_t bytes, std::size_t number) noexcept;
  // As it was put in.
  void remove(std::uintptr_t start, std::uint64_t bytes, std::size_t number) noexcept;

  // Takes `step` to the numbers of all that may lie there; of others too, and to one twice. False, and to none: it would take more than
  // `most_buckets`, for the part is long beside what lies in it.
  template <typename Step>
  [[nodiscard]] bool for_each_near(std::uintptr_t start, std::uintptr_t end, std::size_t most_buckets,
                                   Step&& step) const noexcept {
    if (start >= end) return true;
    std::size_t buckets = 0;
    for_each_class([&](unsigned size_class) { buckets += buckets_of(size_class, start, end).count(); });
    if (buckets > most_buckets) return false;
    for_each_class([&](unsigned size_class) {
      const Buckets near = buckets_of(size_class, start, end);
      for (std::uintptr_t bucket = near.first; bucket <= near.last; ++bucket) visit({size_class, bucket}, step);
    });
    return true;
  }

 private:
  static constexpr unsigned kClasses = 64;
  static constexpr unsigned kGroupBits = 11;
  static constexpr std::size_t kGroups = std::size_t{1} << kGroupBits;
  static constexpr std::size_t kEntries = 15;  // of a group: half of all are free where the table of ranges is full
  static constexpr std::size_t kFarthest = 8;  // groups from its own that an entry stands
  static constexpr unsigned kNumberBits = 15;
  static constexpr std::uint32_t kNumber = (std::uint32_t{1} << kNumberBits) - 1;
  static_assert(kMostNumbers <= kNumber);

  struct Bucket {
    unsigned size_class;
    std::uintptr_t bucket;
  };
  struct Buckets {
    std::uintptr_t first;
    std::uintptr_t last;
    [[nodiscard]] std::size_t count() const { return last - first + 1; }
  };
  struct alignas(64) Group {
    std::atomic<std::uint32_t> was_full{0};  // once it was, entries of its own may stand in the next one
    std::array<std::atomic<std::uint32_t>, kEntries> entries{};  // tag << 15 | number + 1; 0: free
  };
  static_assert(sizeof(Group) == 64);

  [[nodiscard]] static unsigned class_of(std::uint64_t bytes) noexcept {
    return bytes == 0 ? 0 : static_cast<unsigned>(std::bit_width(bytes)) - 1;
  }
  // A range of this class is shorter than a bucket of it.
  [[nodiscard]] static unsigned width_bits(unsigned size_class) noexcept {
    return size_class + 1 < kClasses ? size_class + 1 : kClasses - 1;
  }
  [[nodiscard]] static Bucket bucket_of(std::uintptr_t start, std::uint64_t bytes) noexcept {
    const unsigned size_class = class_of(bytes);
    return {size_class, start >> width_bits(size_class)};
  }
  // In which those begin that reach into it.
  [[nodiscard]] static Buckets buckets_of(unsigned size_class, std::uintptr_t start, std::uintptr_t end) noexcept {
    const std::uintptr_t before = (std::uintptr_t{1} << width_bits(size_class)) - 1;
    return {(start > before ? start - before : 0) >> width_bits(size_class), (end - 1) >> width_bits(size_class)};
  }
  [[nodiscard]] static std::uint64_t hash_of(Bucket bucket) noexcept {
    std::uint64_t mixed = (bucket.bucket * kClasses + bucket.size_class) * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 32U) * 0xd6e8feb86659fd93U;  // buckets come in rows and in steps
    return mixed ^ mixed >> 32U;
  }
  [[nodiscard]] static std::size_t own_group(std::uint64_t hash) noexcept { return hash % kGroups; }
  [[nodiscard]] static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> kGroupBits) << kNumberBits;
  }

  template <typename Step>
  void for_each_class(Step&& step) const noexcept {
    for (std::uint64_t left = classes_.load(std::memory_order_acquire); left != 0; left &= left - 1) {
      const auto size_class = static_cast<unsigned>(std::countr_zero(left));
      if (counts_[size_class].load(std::memory_order_acquire) > 0) step(size_class);
    }
  }

  template <typename Step>
  void visit(Bucket bucket, Step&& step) const noexcept {
    const std::uint64_t hash = hash_of(bucket);
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t i = 0; i < kFarthest; ++i) {
      const Group& group = groups_[(own_group(hash) + i) % kGroups];
      for (const std::atomic<std::uint32_t>& entry : group.entries) {
        const std::uint32_t word = entry.load(std::memory_order_acquire);
        if (word != 0 && (word & ~kNumber) == tag) step(std::size_t{word & kNumber} - 1);
      }
      if (group.was_full.load(std::memory_order_acquire) == 0) return;
    }
  }

  std::array<Group, kGroups> groups_{};
  std::array<std::atomic<std::uint32_t>, kClasses> counts_{};
  std::atomic<std::uint64_t> classes_{0};  // a bit each of which there ever was one
};

}  // namespace comity::memory::hooks
