// SPDX-License-Identifier: BSD-3-Clause
// ForkMark: whether this process is a fork child of the one that has set the mark, for the price of a load: the mark stands in memory that the kernel
// empties in children. What a child has of locks that other threads of its parent held nobody gives back, so who may meet one there asks first.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/files/mapping.hpp"

namespace comity::os {

class ForkMark {
 public:
  // This process is the one, whosever child it is. Throws Status::memory, and Status::system where the kernel has no such memory.
  void set() {
    if (page_.bytes().empty()) page_ = Mapping::forgotten_by_children(sizeof(Word));
    auto* const word = reinterpret_cast<Word*>(page_.bytes().data());
    std::atomic_ref(*word).store(1, std::memory_order_relaxed);
    word_.store(word, std::memory_order_release);
  }
  // False too where nobody has set it.
  [[nodiscard]] bool is_lost() const noexcept {
    Word* const word = word_.load(std::memory_order_acquire);
    return word != nullptr && std::atomic_ref(*word).load(std::memory_order_relaxed) == 0;
  }

 private:
  using Word = std::uint64_t;

  Mapping page_;
  std::atomic<Word*> word_{nullptr};
};

}  // namespace comity::os
