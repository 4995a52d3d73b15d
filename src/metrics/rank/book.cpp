// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/book.hpp"

#include <new>

#include "os/threads/threads.hpp"

namespace comity::metrics {

Page::~Page() {
  for (std::size_t i = 0; i < group_count_; ++i) {
    const Group* const group = groups_[i].load(std::memory_order_relaxed);
    for (std::size_t j = 0; group != nullptr && j < kOfGroup; ++j) delete (*group)[j].load(std::memory_order_relaxed);
    delete group;
  }
}

// Where memory runs out the program goes on, and what it does is written to a cell that nobody reads.
Cell& Page::make(std::size_t function) {
  static Cell unread;
  std::atomic<Group*>& place = groups_[function / kOfGroup];
  Group* group = place.load(std::memory_order_relaxed);
  if (group == nullptr) {
    group = new (std::nothrow) Group{};
    if (group == nullptr) return unread;
    place.store(group, std::memory_order_release);
  }
  auto* const cell = new (std::nothrow) Cell;
  if (cell == nullptr) return unread;
  (*group)[function % kOfGroup].store(cell, std::memory_order_release);
  return *cell;
}

Book::Book(std::size_t functions) : functions_(functions) { turn_to(kWholeRun); }

Book::~Book() {
  for (std::atomic<Page*>& page : pages_) delete page.load(std::memory_order_relaxed);
}

void Book::begin(int thread) {
  former_thread_ = thread_.exchange(thread, std::memory_order_relaxed);
  turn_to(kWholeRun);
}

void Book::turn_to(Region region) {
  Page* page = pages_[region].load(std::memory_order_relaxed);
  if (page == nullptr) {
    page = new Page(functions_);
    pages_[region].store(page, std::memory_order_release);
  }
  page_ = page;
}

Book* Books::open() noexcept {
  Book* const book = books_.take(functions_);
  if (book != nullptr) book->begin(static_cast<int>(os::this_thread()));
  return book;
}

}  // namespace comity::metrics
