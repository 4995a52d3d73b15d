// SPDX-License-Identifier: BSD-3-Clause
// Book: what one thread has done in MPI, by region and function, and with whom, and what others did before that had the book.
// Written by its thread, read by anybody.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "metrics/rank/of_threads.hpp"
#include "metrics/rank/peers.hpp"
#include "metrics/rank/regions.hpp"
#include "metrics/rank/tally.hpp"

namespace comity::metrics {

struct Cell {
  Tally calls, failed, time_ns, longest_ns, sent_bytes, received_bytes;
};

// One region of one thread: a cell a function, made when it is first called there. Of the hundreds of functions a region calls a few, and there may be a
// thousand regions: so places for cells are made by the group too.
class Page {
 public:
  explicit Page(std::size_t functions)
      : group_count_((functions + kOfGroup - 1) / kOfGroup), groups_(new std::atomic<Group*>[group_count_] {}) {}
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  [[nodiscard]] Cell& of(std::size_t function) {
    const Group* const group = groups_[function / kOfGroup].load(std::memory_order_relaxed);
    Cell* const cell = group != nullptr ? (*group)[function % kOfGroup].load(std::memory_order_relaxed) : nullptr;
    return cell != nullptr ? *cell : make(function);
  }
  template <typename Look>
  void each(Look&& look) const {
    for (std::size_t i = 0; i < group_count_; ++i) {
      const Group* const group = groups_[i].load(std::memory_order_acquire);
      for (std::size_t j = 0; group != nullptr && j < kOfGroup; ++j) {
        if (const Cell* const cell = (*group)[j].load(std::memory_order_acquire)) look(i * kOfGroup + j, *cell);
      }
    }
  }
  [[nodiscard]] std::uint64_t time_ns() const { return in_mpi_.value(); }
  void add_time(std::uint64_t ns) { in_mpi_.add(ns); }

 private:
  static constexpr std::size_t kOfGroup = 16;
  using Group = std::array<std::atomic<Cell*>, kOfGroup>;

  Cell& make(std::size_t function);

  std::size_t group_count_;
  std::unique_ptr<std::atomic<Group*>[]> groups_;
  Tally in_mpi_;
};

class Book : public OfThread<Book> {
 public:
  explicit Book(std::size_t functions);
  ~Book();
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  // Of the thread that takes it; `thread`: the kernel's number.
  void begin(int thread);

  [[nodiscard]] Page& page() { return *page_; }
  void turn_to(Region region);  // throws std::bad_alloc and stays where it is

  [[nodiscard]] Peers& peers() { return peers_; }
  [[nodiscard]] const Peers& peers() const { return peers_; }
  [[nodiscard]] int thread() const { return thread_.load(std::memory_order_relaxed); }

  [[nodiscard]] int former_thread() const { return former_thread_; }

  // The thread's last call, where calls are timed.
  void note_call(std::int64_t begin_ns, std::int64_t end_ns) {
    last_begin_ns_.store(begin_ns, std::memory_order_relaxed);
    last_end_ns_.store(end_ns, std::memory_order_release);
  }
  [[nodiscard]] bool was_calling(std::int64_t from_ns, std::int64_t to_ns) const {
    return last_end_ns_.load(std::memory_order_acquire) > from_ns &&
           last_begin_ns_.load(std::memory_order_relaxed) < to_ns;
  }
  template <typename Look>
  void each_page(Look&& look) const {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (const Page* const page = pages_[i].load(std::memory_order_acquire)) look(static_cast<Region>(i), *page);
    }
  }

 private:
  std::size_t functions_;
  std::atomic<int> thread_{0};
  int former_thread_ = 0;
  Page* page_ = nullptr;
  std::atomic<std::int64_t> last_begin_ns_{0};
  std::atomic<std::int64_t> last_end_ns_{0};
  std::array<std::atomic<Page*>, Regions::kMost + 1> pages_{};
  Peers peers_;
};

// All threads' books.
class Books {
 public:
  explicit Books(std::size_t functions) : functions_(functions) {}

  [[nodiscard]] Book* open() noexcept;  // for a thread that comes for the first time; null where memory runs out
  // On the thread that opened it, at its end: the next one that comes goes on in it.
  static void leave(Book& book) noexcept { OfThreads<Book>::leave(book); }
  template <typename Look>
  void each(Look&& look) const {
    books_.each(look);
  }
  [[nodiscard]] std::size_t count() const { return books_.count(); }

 private:
  std::size_t functions_;
  OfThreads<Book> books_;
};

}  // namespace comity::metrics
