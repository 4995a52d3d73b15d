// SPDX-License-Identifier: BSD-3-Clause
// Large blocks that lie side by side in malloc's heap, each touched where it begins: next to all of their pages are such in which two meet.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "os/kernel.hpp"
#include "os/memory/pages.hpp"

namespace comity::memory {

class BlocksSideBySide {
 public:
  static constexpr std::size_t kBlocks = 2'000;
  static constexpr std::size_t kEach_bytes = 100'000;
  using Ask = void* (*)(std::size_t);
  using GiveBack = void (*)(void*);

  BlocksSideBySide(Ask ask, GiveBack give_back) : give_back_(give_back) {
    for (void*& block : blocks_) {
      block = ask(kEach_bytes);
      *static_cast<volatile char*>(block) = 1;
    }
    for (void* const block : blocks_) count(reinterpret_cast<std::uintptr_t>(block));
  }
  ~BlocksSideBySide() {
    for (void* const block : blocks_) give_back_(block);
  }
  BlocksSideBySide(const BlocksSideBySide&) = delete;
  BlocksSideBySide& operator=(const BlocksSideBySide&) = delete;

  // What lies in them of resident pages, and these pages.
  [[nodiscard]] std::int64_t resident_bytes() const { return resident_bytes_; }
  [[nodiscard]] std::int64_t page_bytes() const {
    return static_cast<std::int64_t>(is_there_.size() * os::page_bytes());
  }

 private:
  void count(std::uintptr_t start) {
    const std::uintptr_t page_bytes = os::page_bytes();
    for (std::uintptr_t page = start / page_bytes * page_bytes; page < start + kEach_bytes; page += page_bytes) {
      if (tables_.count(page, page + page_bytes).value().resident == 0) continue;
      is_there_[page] = true;
      const std::uintptr_t from = page < start ? start : page;
      const std::uintptr_t until = page + page_bytes < start + kEach_bytes ? page + page_bytes : start + kEach_bytes;
      resident_bytes_ += static_cast<std::int64_t>(until - from);
    }
  }

  GiveBack give_back_;
  std::vector<void*> blocks_ = std::vector<void*>(kBlocks);
  os::Pagemap tables_{os::process_id()};
  std::map<std::uintptr_t, bool> is_there_;  // page by page
  std::int64_t resident_bytes_ = 0;
};

}  // namespace comity::memory
