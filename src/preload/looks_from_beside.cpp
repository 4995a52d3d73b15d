// SPDX-License-Identifier: BSD-3-Clause
// What a thread of Comity's own does for a watched run: it reads what places of code hold, and while MPI's main thread makes no call it takes the
// samples of memory, and writes down peaks and what is held, so that those of a rank that is killed then are not lost. Not: what the main thread records (watched_run).
#include <chrono>
#include <memory>
#include <thread>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/soon_free.hpp"
#include "memory/rank/growth.hpp"
#include "os/threads/quiet_thread.hpp"
#include "os/threads/threads.hpp"
#include "preload/guarded.hpp"
#include "preload/shown_call.hpp"
#include "preload/watched_run.hpp"

namespace comity::preload {
namespace {

constexpr std::chrono::milliseconds kEveryLook{100};    // as the samples of the main thread
constexpr std::int64_t kEveryPeaks_ns = 2'000'000'000;  // as the tables of the main thread
constexpr std::string_view kUnknownCall = "(not known)";

// Of the thread that looks on: the main thread's region and call it tells in the place of its own. Null: any other thread.
constinit thread_local const WatchedRun* looked_on __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

memory::RegionNumber WatchedRun::region_here() noexcept {
  return looked_on == nullptr ? metrics::Collector::current_region()
                              : looked_on->main_region_.load(std::memory_order_relaxed);
}

std::string_view WatchedRun::call_here() noexcept {
  return looked_on == nullptr ? shown_call(live::PageWriter::call_of_this_thread()) : looked_on->main_call();
}

std::string_view WatchedRun::main_call() const noexcept {
  return main_seat_ == nullptr ? kUnknownCall : shown_call(live::PageWriter::call_at(main_seat_));
}

void WatchedRun::note_region() noexcept {
  if (book_ != nullptr && os::this_thread() == collector_.main_thread())
    main_region_.store(metrics::Collector::current_region(), std::memory_order_relaxed);
}

// Whoever else has it keeps it; the thread that looks on has it for a millisecond at the most, unless the program has stopped it.
std::unique_lock<HeldMutex> WatchedRun::lock_if_free() noexcept {
  constexpr int kMostTimes = 10'000;
  constexpr std::chrono::microseconds kBetween{100};
  return lock_if_soon_free(telling_, is_looked_from_beside_, kMostTimes, kBetween);
}

void WatchedRun::start_onlooker() {
  struct Onlooker {
    WatchedRun& run;
    void operator()() const noexcept {
      looked_on = &run;
      do {
        std::this_thread::sleep_for(kEveryLook);
      } while (run.look_from_beside());
    }
  };
  if (live_ != nullptr) main_seat_ = live::PageWriter::seat_of_this_thread();
  main_region_.store(metrics::Collector::current_region(), std::memory_order_relaxed);
  if (!os::start_quiet_thread("comity-memory", std::unique_ptr<Onlooker>(new Onlooker{*this})))
    log::info("preload", "memory is looked at behind calls of MPI alone, for the system gives no thread");
}

// Nobody waits for it with a lock of the book's or the record's held but who ends the run, and it never waits for whoever tells.
bool WatchedRun::look_from_beside() noexcept {
  if (is_over_.load(std::memory_order_relaxed)) return false;
  const std::int64_t now = now_ns();
  if (book_ != nullptr) book_->read_held_if_due(now);
  if (now < due_ns_.load(std::memory_order_relaxed)) return true;
  is_looked_from_beside_.store(true, std::memory_order_release);
  {
    const std::unique_lock lock(telling_, std::try_to_lock);
    if (lock && recorder_) guarded("memory is not looked at from beside", [&] { record_from_beside(now); });
  }
  is_looked_from_beside_.store(false, std::memory_order_release);
  return true;
}

// What there is now goes with them. Where they have no room the main thread puts other things in short, at its next call.
void WatchedRun::record_from_beside(std::int64_t now_ns) {
  const std::string_view call = main_call();
  const std::optional<memory::Sample> sample =
      book_->look_from_beside(now_ns, call.empty() ? std::string_view(memory::kBetweenCalls) : call);
  if (sample) tell(*sample, now_ns, memory::SampleOf::run);
  const bool has_news = book_->has_news() || book_->has_news_of_held();
  if (!has_news && !book_->has_moved() && now_ns < peaks_due_ns_) return;
  peaks_due_ns_ = now_ns + kEveryPeaks_ns;
  (void)recorder_->put(book_->peaks());
}

}  // namespace comity::preload
