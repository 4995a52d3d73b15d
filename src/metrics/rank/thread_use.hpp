// SPDX-License-Identifier: BSD-3-Clause
// ThreadUse: which level of threads the program asked its MPI for, which it got, and which it needs by what it does.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "interpose/event.hpp"
#include "metrics/rank/book.hpp"

namespace comity::metrics {

enum class Level : std::uint8_t { single, funneled, serialized, multiple, unknown };
[[nodiscard]] std::string_view name_of(Level level);  // "MPI_THREAD_SINGLE"

class ThreadUse {
 public:
  // `main_thread`: the kernel's number of the one that is MPI's main thread; its book, null where it has none.
  void begun(Level asked, Level provided, int main_thread, const Book* main_book);
  // After each call; says in one line, once a thread, where it breaks the provided level.
  void called(const interpose::Event& event, Book& book) {
    const int main_thread = main_thread_.load(std::memory_order_relaxed);
    if (main_thread != 0 && (book.thread() != main_thread || others_call())) {
      called_by_several(event, book, book.thread() == main_thread);
    } else if (event.end_ns != 0) {
      book.note_call(event.begin_ns, event.end_ns);
    }
  }

  [[nodiscard]] Level asked() const { return asked_.load(std::memory_order_relaxed); }
  [[nodiscard]] Level provided() const { return provided_.load(std::memory_order_relaxed); }
  // The lowest level that what was seen is right with: SERIALIZED at the least where calls are not timed, for then nobody sees
  // whether they overlap. FUNNELED where the main thread alone calls: whether there are others at all is not looked at.
  [[nodiscard]] Level needed(bool timed) const;
  // The main thread, which has called MPI_Init, and those that have called MPI beside it.
  [[nodiscard]] int calling() const { return 1 + others_.load(std::memory_order_relaxed); }
  // The first of those beside it, by number and name: "4711 (io), 4712 (io) and 5 more"; empty where there is none.
  [[nodiscard]] std::string other_callers() const;
  // "MPI_THREAD_FUNNELED would do": one sentence for people.
  [[nodiscard]] std::string sentence(bool timed) const;

 private:
  static constexpr int kMostNamed = 4;
  struct Caller {
    std::atomic<int> thread{0};  // stored last
    std::array<std::atomic<char>, 16> name{};
  };

  [[nodiscard]] bool others_call() const { return others_.load(std::memory_order_relaxed) > 0; }
  void called_by_several(const interpose::Event& event, Book& book, bool is_main);
  void note_caller(int thread);
  [[nodiscard]] int note_and_compare(const interpose::Event& event, Book& book);
  void say_broken(const interpose::Event& event, const Book& book, int at_once_with);
  // Pieces of sentence().
  [[nodiscard]] std::string callers_sentence() const;
  [[nodiscard]] static std::string sentence_of_one(Level provided);
  [[nodiscard]] std::string sentence_of_several(Level provided) const;
  [[nodiscard]] std::string sentence_of_untimed(Level provided) const;

  std::atomic<Level> asked_{Level::unknown};
  std::atomic<Level> provided_{Level::unknown};
  std::atomic<int> main_thread_{0};
  std::atomic<int> others_{0};
  std::array<Caller, kMostNamed> callers_;
  std::atomic<const Book*> last_to_end_{nullptr};  // release and acquire: what that book knows of its call
  std::atomic<bool> at_once_{false};
  std::atomic<int> told_{0};
};

}  // namespace comity::metrics
