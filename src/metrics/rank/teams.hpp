// SPDX-License-Identifier: BSD-3-Clause
// Teams: parallel regions of OpenMP that MPI's main thread meets outside of any other, told apart by their places in the program: how
// long they took, how wide they were, and how long each thread of a team was at work. Not: which runtime tells so, nor what a nested
// region does (it is work of the one around it). Invariant: a thread is at work for no longer than its region lasts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "metrics/rank/of_threads.hpp"
#include "metrics/rank/tally.hpp"

namespace comity::metrics {

// Sums over all parallel regions that began at one place. Written on MPI's main thread, read by anybody.
struct TeamPlace {
  const void* code = nullptr;
  std::string name;
  Tally count;
  Tally wall_ns;
  Tally thread_ns;  // times the threads of each
  Tally largest_team;
  // Of those in which each thread was told:
  Tally measured_ns;  // as thread_ns
  Tally working_ns;   // of all threads
  Tally busiest_ns;   // of the one that worked longest in each, times the threads
};

class Teams {
 public:
  static constexpr std::size_t kMostPlaces =
      250;                                   // a program that was built of many files has more; the rest is one place
  static constexpr unsigned kWidest = 1024;  // of wider teams no work is told

  // A runtime without these leaves only how long and how wide.
  void waits_are_told() { waits_are_told_ = true; }

  // On MPI's main thread, one after the other; `code`: where the program goes on behind the region.
  void begin(const void* code, std::int64_t now_ns) noexcept;
  void has(unsigned threads) noexcept { threads_ = threads; }
  void end(std::int64_t now_ns) noexcept;
  void drop() noexcept { place_ = nullptr; }  // it does not count

  // On each thread of that team, between begin() and end(). What a runtime tells later, when the thread is wanted again, changes nothing.
  [[nodiscard]] bool member_begins(unsigned index, std::int64_t now_ns) noexcept;  // false: the thread's first one
  static void member_ends(std::int64_t now_ns) noexcept;
  // At barriers, and for tasks; while it waits it may turn to tasks, and in these it may wait again.
  static void member_waits(std::int64_t now_ns) noexcept;
  static void member_goes_on(std::int64_t now_ns) noexcept;
  static void member_turns_to_task(std::int64_t now_ns) noexcept;
  static void member_turns_back(std::int64_t now_ns) noexcept;
  // At the end of the calling thread.
  static void leave() noexcept;

  template <typename Look>
  void each(Look&& look) const {
    for (const std::atomic<TeamPlace*>& slot : places_) {
      if (const TeamPlace* const place = slot.load(std::memory_order_acquire)) look(*place);
    }
  }

  Teams() = default;
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

 private:
  // What one thread does in the region that it was last in. The region's number and the sum are read by the main thread, behind the
  // barrier that ends the region.
  struct Member : OfThread<Member> {
    std::atomic<std::uint64_t> region{0};
    std::atomic<std::int64_t> worked_ns{0};
    std::int64_t since_ns = 0;
    std::uint64_t around = 0;  // of each task that it has turned away from, the last one lowest: whether it was at work
    bool is_open = false;
    bool works = false;

    void work(std::int64_t now_ns) {
      since_ns = now_ns;
      works = true;
    }
    void rest(std::int64_t now_ns) {
      if (works && now_ns > since_ns) {
        worked_ns.store(worked_ns.load(std::memory_order_relaxed) + now_ns - since_ns, std::memory_order_relaxed);
      }
      works = false;
    }
  };

  static constexpr std::size_t kSlots = 512;  // twice as many as there are places, so that a search is short
  static_assert(kSlots >= 2 * kMostPlaces && (kSlots & (kSlots - 1)) == 0);

  TeamPlace* place_of(const void* code) noexcept;
  void add_work(std::int64_t wall_ns) noexcept;

  // One object a process: a thread finds its own without asking for whom.
  static inline constinit thread_local Member* mine_ __attribute__((tls_model("initial-exec"))) = nullptr;
  OfThreads<Member> members_;
  bool waits_are_told_ = false;
  // Of the region that is on.
  std::atomic<std::uint64_t> region_{0};  // its number, from 1 on
  TeamPlace* place_ = nullptr;            // null: none is on
  std::int64_t begin_ns_ = 0;
  unsigned threads_ = 0;
  std::array<std::atomic<Member*>, kWidest> team_{};  // by index; of another region where it has not begun

  std::size_t places_known_ = 0;
  std::array<std::atomic<TeamPlace*>, kSlots> places_{};
};

}  // namespace comity::metrics
