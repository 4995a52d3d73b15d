// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/thread_use.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.hpp"
#include "os/threads/threads.hpp"

namespace comity::metrics {
namespace {

// Times of two threads may differ by so much, and a call that is handed over with a lock is not at once with the one before.
constexpr std::int64_t kApart_ns = 2000;
constexpr int kMostLines = 8;  // a process

// Of this thread, in whichever book: it is among those that call, and has said what it breaks.
constinit thread_local bool is_noted __attribute__((tls_model("initial-exec"))) = false;
constinit thread_local bool has_told __attribute__((tls_model("initial-exec"))) = false;

// The kernel cuts names at 15 bytes, inside a letter too, and takes any bytes; where this is told there must be text.
char plain(char letter) { return letter >= ' ' && letter <= '~' ? letter : '?'; }

std::string is_needed_but(Level provided) {
  return " is needed, and " + std::string(name_of(provided)) + " is provided";
}

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

void ThreadUse::begun(Level asked, Level provided, int main_thread, const Book* main_book) {
  asked_.store(asked, std::memory_order_relaxed);
  provided_.store(provided, std::memory_order_relaxed);
  last_to_end_.store(main_book, std::memory_order_release);
  main_thread_.store(main_thread, std::memory_order_relaxed);
}

void ThreadUse::called_by_several(const interpose::Event& event, Book& book, bool is_main) {
  if (is_free_for_all(event.facts->name)) return;
  if (!is_main && !std::exchange(is_noted, true)) note_caller(book.thread());
  const Level provided = provided_.load(std::memory_order_relaxed);
  if (provided == Level::multiple && at_once_.load(std::memory_order_relaxed)) return;  // all is known
  const int at_once_with = note_and_compare(event, book);
  if (at_once_with != 0) at_once_.store(true, std::memory_order_relaxed);
  const bool funnel_broken = provided <= Level::funneled && !is_main;
  const bool series_broken = provided == Level::serialized && at_once_with != 0;
  if (funnel_broken || series_broken) say_broken(event, book, series_broken ? at_once_with : 0);
}

void ThreadUse::note_caller(int thread) {
  const int place = others_.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMostNamed) return;
  Caller& caller = callers_.at(static_cast<std::size_t>(place));
  const std::string name = os::this_thread_name();
  for (std::size_t i = 0; i < caller.name.size() && i < name.size(); ++i) caller.name.at(i) = plain(name[i]);
  caller.thread.store(thread, std::memory_order_release);
}

// The thread whose call was at once with this one; 0: none. Only the last call that ended on another thread is looked at: what
// others ended before this thread's own last call was over when this one began. Nor was that one under way then, so a call in
// the book which was is that of the thread that had the book before.
int ThreadUse::note_and_compare(const interpose::Event& event, Book& book) {
  if (event.end_ns == 0) return 0;
  const auto was_at_once = [&](const Book& other) {
    return other.was_calling(event.begin_ns + kApart_ns, event.end_ns - kApart_ns);
  };
  const int former = was_at_once(book) ? book.former_thread() : 0;
  book.note_call(event.begin_ns, event.end_ns);
  const Book* const last = last_to_end_.exchange(&book, std::memory_order_acq_rel);
  return last != nullptr && last != &book && was_at_once(*last) ? last->thread() : former;
}

// Once a thread.
void ThreadUse::say_broken(const interpose::Event& event, const Book& book, int at_once_with) {
  if (std::exchange(has_told, true) || told_.fetch_add(1, std::memory_order_relaxed) >= kMostLines) return;
  const std::string advice = at_once_.load(std::memory_order_relaxed)
                                 ? "MPI_THREAD_MULTIPLE"
                                 : "MPI_THREAD_SERIALIZED, or for MPI_THREAD_MULTIPLE where threads call at once";
  log::error("metrics", std::string(event.facts->name) + " is called on thread " + std::to_string(book.thread()) +
                            (at_once_with == 0 ? ", which is not MPI's main thread"
                                               : ", while thread " + std::to_string(at_once_with) + " is inside MPI") +
                            ", but MPI provides only " + std::string(name_of(provided())) +
                            ": the results may be wrong; ask MPI_Init_thread for " + advice);
}

std::string ThreadUse::other_callers() const {
  std::string text;
  int named = 0;
  for (const Caller& caller : callers_) {
    const int thread = caller.thread.load(std::memory_order_acquire);
    if (thread == 0) continue;
    text += (named++ == 0 ? "" : ", ") + std::to_string(thread) + " (";
    for (const std::atomic<char>& letter : caller.name) {
      if (letter != '\0') text += letter;
    }
    text += ')';
  }
  const int more = others_.load(std::memory_order_relaxed) - named;
  return more > 0 && named > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

Level ThreadUse::needed(bool timed) const {
  if (!others_call()) return Level::funneled;
  return timed && at_once_.load(std::memory_order_relaxed) ? Level::multiple : Level::serialized;
}

std::string ThreadUse::callers_sentence() const {
  const std::string callers = other_callers();
  return "the main thread and " +
         (callers.empty() ? "others" : "thread" + std::string(calling() > 2 ? "s " : " ") + callers) + " call MPI";
}

std::string ThreadUse::sentence(bool timed) const {
  const Level provided = this->provided();
  if (provided == Level::unknown) return "the level of threads is unknown: the program has not begun MPI";
  if (!others_call()) return sentence_of_one(provided);
  return timed ? sentence_of_several(provided) : sentence_of_untimed(provided);
}

// Level SINGLE wants no other thread to exist. Those that come and go between two looks nobody sees, and MPI's own helpers
// look like the program's, so the sentence says what holds in both cases.
std::string ThreadUse::sentence_of_one(Level provided) {
  const std::string does = "only the main thread calls MPI";
  if (provided == Level::funneled) return does + ", as MPI_THREAD_FUNNELED demands";
  if (provided > Level::funneled) return does + ": MPI_THREAD_FUNNELED would do";
  return does + ": MPI_THREAD_SINGLE is right if the program has no other threads, else MPI_THREAD_FUNNELED is needed";
}

std::string ThreadUse::sentence_of_several(Level provided) const {
  const Level needed = this->needed(true);
  const std::string name(name_of(needed));
  const bool in_series = needed == Level::serialized;
  const std::string does =
      callers_sentence() + (in_series ? ", and no two calls were seen to overlap by more than 2 us" : " at once");
  if (provided < needed) {
    return does + ": " + name + (in_series ? " at least" : "") + is_needed_but(provided);
  }
  if (provided > needed) return does + ": " + name + " would do if the program itself keeps its calls apart";
  return does + ", as " + name + " demands";
}

std::string ThreadUse::sentence_of_untimed(Level provided) const {
  const std::string does =
      callers_sentence() +
      ", and whether at once is not told without their times (COMITY_METRICS=on): " + "MPI_THREAD_SERIALIZED at least";
  return does + (provided < Level::serialized ? is_needed_but(provided) : " is needed");
}

}  // namespace comity::metrics
