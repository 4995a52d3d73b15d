// SPDX-License-Identifier: BSD-3-Clause
// Stopwatch: where MPI's main thread spent its time and the process its processors, by region, without those inside.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "metrics/rank/regions.hpp"
#include "metrics/rank/tally.hpp"

namespace comity::metrics {

struct Lap {
  Tally visits;
  Tally wall_ns;
  Tally process_cpu_ns;    // of all threads
  Tally main_cpu_ns;       // of MPI's main thread
  Tally others_inside_ns;  // of process_cpu_ns, what other threads spent inside MPI
  // Parallel regions of OpenMP that this thread met outside of any other.
  Tally teams;
  Tally team_ns;         // of wall_ns, inside them
  Tally team_thread_ns;  // times the threads of each
  Tally largest_team;
};

// Of that thread alone; others read, but for what they add of themselves.
class Stopwatch {
 public:
  Stopwatch() = default;
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start(Region region);
  void turn_to(Region region, bool entering);  // what has passed belongs to the region until now
  void catch_up();                             // what has passed belongs to the region that goes on
  void pause();                                // what passes until go_on() belongs to none
  void go_on(Region region);
  void stop();
  void team_begin();
  void team_has(unsigned threads);
  void team_end();
  // On any other thread: so much of its processor time was inside MPI. It belongs to the region in which the main thread is
  // then, as what the process has used does.
  void add_inside(std::int64_t ns) {
    if (ns > 0) others_inside_ns_.fetch_add(ns, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_running() const { return state_ == State::running; }
  [[nodiscard]] std::uint64_t paused_ns() const { return paused_ns_.value(); }

  template <typename Look>
  void each(Look&& look) const {
    for (std::size_t i = 0; i < laps_.size(); ++i) {
      if (const Lap* const lap = laps_[i].load(std::memory_order_acquire)) look(static_cast<Region>(i), *lap);
    }
  }

 private:
  enum class State : std::uint8_t { stopped, running, paused };
  struct Reading {
    std::int64_t wall_ns = 0;
    std::int64_t process_cpu_ns = 0;
    std::int64_t main_cpu_ns = 0;
    std::int64_t others_inside_ns = 0;
  };
  [[nodiscard]] Reading read() const;
  void pass(const Reading& now);
  void pass_in_team(std::int64_t now_ns);
  Lap& lap_of(Region region);

  State state_ = State::stopped;
  Lap* lap_ = nullptr;
  Reading last_;
  Tally paused_ns_;
  std::atomic<std::int64_t> others_inside_ns_{0};
  std::uint64_t team_threads_ = 0;  // 0: in no parallel region
  std::int64_t team_passed_ns_ = 0;
  std::array<std::atomic<Lap*>, Regions::kMost + 1> laps_{};
};

}  // namespace comity::metrics
