// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/thread_use.hpp"

#include <algorithm>
#include <array>

#include "base/log.hpp"

namespace comity::metrics {
namespace {

// Times of two threads may differ by so much, and a call that is handed over with a lock is not at once with the one before.
constexpr std::int64_t kApart_ns = 2000;
constexpr int kMostLines = 8;  // a process

// What any thread may call at any level (MPI 4.0, 11.6.1 and 11.2).
bool is_free_for_all(std::string_view name) {
  constexpr std::array<std::string_view, 6> kFree{"MPI_Initialized",    "MPI_Finalized",   "MPI_Query_thread",
                                                  "MPI_Is_thread_main", "MPI_Get_version", "MPI_Get_library_version"};
  return name.starts_with("MPI_T_") || std::find(kFree.begin(), kFree.end(), name) != kFree.end();
}

}  // namespace

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 5> kNames{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                                   "MPI_THREAD_MULTIPLE", "unknown"};
  return kNames.at(static_cast<std::size_t>(level));
}

void ThreadUse::begun(Level asked, Level provided, int main_thread) {
  asked_.store(asked, std::memory_order_relaxed);
  provided_.store(provided, std::memory_order_relaxed);
  main_thread_.store(main_thread, std::memory_order_relaxed);
}

void ThreadUse::called(const interpose::Event& event, const Book& book, const Books& all) {
  const int main_thread = main_thread_.load(std::memory_order_relaxed);
  if (main_thread == 0) return;  // before MPI_Init
  if (book.thread() != main_thread || others_call_.load(std::memory_order_relaxed)) called_by_another(event, book, all);
}

void ThreadUse::called_by_another(const interpose::Event& event, const Book& book, const Books& all) {
  if (is_free_for_all(event.facts->name)) return;
  const bool is_main = book.thread() == main_thread_.load(std::memory_order_relaxed);
  if (!is_main) others_call_.store(true, std::memory_order_relaxed);
  const Level provided = provided_.load(std::memory_order_relaxed);
  if (provided == Level::multiple && at_once_.load(std::memory_order_relaxed)) return;  // all is known
  const Book* at_once = nullptr;
  if (event.begin_ns != 0) {
    all.each([&](const Book& other) {
      if (&other != &book && other.was_calling(event.begin_ns + kApart_ns, event.end_ns - kApart_ns)) at_once = &other;
    });
  }
  if (at_once != nullptr) at_once_.store(true, std::memory_order_relaxed);
  const bool funnel_broken = provided <= Level::funneled && !is_main;
  const bool series_broken = provided == Level::serialized && at_once != nullptr;
  if ((!funnel_broken && !series_broken) || told_.fetch_add(1, std::memory_order_relaxed) >= kMostLines) return;
  log::error("metrics", std::string(event.facts->name) + " is called on thread " + std::to_string(book.thread()) +
                            (funnel_broken ? ", which is not MPI's main thread"
                                           : ", while thread " + std::to_string(at_once->thread()) + " is inside MPI") +
                            ", but MPI provides only " + std::string(name_of(provided)) +
                            ": the results may be wrong; ask MPI_Init_thread for " +
                            std::string(name_of(funnel_broken ? Level::serialized : Level::multiple)));
}

Level ThreadUse::needed(bool timed) const {
  if (!others_call_.load(std::memory_order_relaxed)) return Level::funneled;
  return timed && !at_once_.load(std::memory_order_relaxed) ? Level::serialized : Level::multiple;
}

std::string ThreadUse::sentence(bool timed) const {
  const Level provided = this->provided();
  const Level needed = this->needed(timed);
  if (provided == Level::unknown) return "the level of threads is unknown: the program has not begun MPI";
  const std::string does = needed == Level::funneled     ? "only the main thread calls MPI"
                           : needed == Level::serialized ? "several threads call MPI, one at a time"
                           : timed                       ? "several threads call MPI at once"
                                                         : "several threads call MPI";
  if (provided < needed && !(provided == Level::single && needed == Level::funneled)) {
    return does + ": " + std::string(name_of(needed)) + " is needed, and " + std::string(name_of(provided)) +
           " is provided";
  }
  if (provided > needed) return does + ": " + std::string(name_of(needed)) + " would do";
  return does + ", as " + std::string(name_of(provided)) + " demands";
}

}  // namespace comity::metrics
