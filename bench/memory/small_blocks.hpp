// SPDX-License-Identifier: BSD-3-Clause
// Small blocks that a program has for long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace bench::memory {

// Blocks of 16 to 143 bytes, each touched.
class SmallBlocks {
 public:
  explicit SmallBlocks(std::size_t count) {
    blocks_.reserve(count);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < count; ++i) {
      state = state * 1'664'525U + 1'013'904'223U;
      const std::size_t bytes = 16 + (state >> 25U);
      blocks_.push_back(std::malloc(bytes));
      if (blocks_.back() == nullptr) throw std::bad_alloc();
      std::memset(blocks_.back(), 1, bytes);
    }
  }
  ~SmallBlocks() {
    for (void* const block : blocks_) std::free(block);
  }
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;

 private:
  std::vector<void*> blocks_;
};

}  // namespace bench::memory
