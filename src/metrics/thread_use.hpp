// SPDX-License-Identifier: BSD-3-Clause
// ThreadUse: which level of threads the program asked its MPI for, which it got, and which it needs by what it does.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "interpose/event.hpp"
#include "metrics/book.hpp"

namespace comity::metrics {

enum class Level : std::uint8_t { single, funneled, serialized, multiple, unknown };
[[nodiscard]] std::string_view name_of(Level level);  // "MPI_THREAD_SINGLE"

class ThreadUse {
 public:
  // `main_thread`: the kernel's number of the one that is MPI's main thread.
  void begun(Level asked, Level provided, int main_thread);
  // After each call; says in one line, once a thread, where it breaks the provided level.
  void called(const interpose::Event& event, const Book& book, const Books& all);

  [[nodiscard]] Level asked() const { return asked_.load(std::memory_order_relaxed); }
  [[nodiscard]] Level provided() const { return provided_.load(std::memory_order_relaxed); }
  // The lowest level that what was seen is right with. Programs whose calls are not timed are taken to overlap.
  [[nodiscard]] Level needed(bool timed) const;
  // "MPI_THREAD_FUNNELED would do": one sentence for people.
  [[nodiscard]] std::string sentence(bool timed) const;

 private:
  void called_by_another(const interpose::Event& event, const Book& book, const Books& all);

  std::atomic<Level> asked_{Level::unknown};
  std::atomic<Level> provided_{Level::unknown};
  std::atomic<int> main_thread_{0};
  std::atomic<bool> others_call_{false};
  std::atomic<bool> at_once_{false};
  std::atomic<int> told_{0};
};

}  // namespace comity::metrics
