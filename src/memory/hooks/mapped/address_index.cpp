// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/mapped/address_index.hpp"

namespace comity::memory::hooks {

// Counted first: whoever asks from then on looks for it.
bool AddressIndex::insert(std::uintptr_t start, std::uint64_t bytes, std::size_t number) noexcept {
  const Bucket bucket = bucket_of(start, bytes);
  const std::uint64_t hash = hash_of(bucket);
  const std::uint32_t word = tag_of(hash) | (static_cast<std::uint32_t>(number) + 1);
  std::atomic<std::uint32_t>& count = counts_[bucket.size_class];
  count.fetch_add(1, std::memory_order_release);
  classes_.fetch_or(std::uint64_t{1} << bucket.size_class, std::memory_order_release);
  for (std::size_t i = 0; i < kFarthest; ++i) {
    Group& group = groups_[(own_group(hash) + i) % kGroups];
    for (std::atomic<std::uint32_t>& entry : group.entries) {
      std::uint32_t there = entry.load(std::memory_order_relaxed);
      if (there == 0 && entry.compare_exchange_strong(there, word, std::memory_order_release)) return true;
    }
    group.was_full.store(1, std::memory_order_release);
  }
  count.fetch_sub(1, std::memory_order_release);
  return false;
}

void AddressIndex::remove(std::uintptr_t start, std::uint64_t bytes, std::size_t number) noexcept {
  const Bucket bucket = bucket_of(start, bytes);
  const std::uint64_t hash = hash_of(bucket);
  const std::uint32_t word = tag_of(hash) | (static_cast<std::uint32_t>(number) + 1);
  for (std::size_t i = 0; i < kFarthest; ++i) {
    for (std::atomic<std::uint32_t>& entry : groups_[(own_group(hash) + i) % kGroups].entries) {
      std::uint32_t there = word;
      if (entry.load(std::memory_order_relaxed) != word ||
          !entry.compare_exchange_strong(there, 0, std::memory_order_release))
        continue;
      counts_[bucket.size_class].fetch_sub(1, std::memory_order_release);
      return;
    }
  }
}

}  // namespace comity::memory::hooks
