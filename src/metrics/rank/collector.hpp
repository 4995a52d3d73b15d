// SPDX-License-Identifier: BSD-3-Clause
// Collector: sees every call of this rank and adds it up. What the sums mean: figures, efficiency.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "interpose/subscriber.hpp"
#include "metrics/rank/book.hpp"
#include "metrics/rank/flight.hpp"
#include "metrics/rank/nesting.hpp"
#include "metrics/rank/regions.hpp"
#include "metrics/rank/stopwatch.hpp"
#include "metrics/rank/teams.hpp"
#include "metrics/rank/thread_use.hpp"
#include "os/threads/thread_end.hpp"

namespace comity::metrics {

enum class Detail : std::uint8_t { counts, times };

class Collector final : public interpose::Subscriber {
 public:
  Collector(Detail detail, std::size_t functions) : detail_(detail), books_(functions), unseen_(functions) {}
  virtual ~Collector() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  void after(const interpose::Event& event) noexcept override;
  void moved(const interpose::Message& message) noexcept override;
  void shared(const interpose::Message& share) noexcept override;

  // So long Comity itself was at work behind a call of this thread, which is seldom: to the program it is the call's time. Only where
  // calls are timed.
  void add_own_work(const interpose::Facts& facts, std::int64_t ns) noexcept;

  // Around the time between MPI_Init and MPI_Finalize, on MPI's main thread.
  void begin(Level asked, Level provided) noexcept;
  void end() noexcept;
  // Before a snapshot between them, on that thread: else the region that it is in has its time up to its last border.
  void catch_up() noexcept;

  // On any thread; regions nest on each. The time is kept for who asks open regions for theirs.
  void region_begin(std::string_view name, std::int64_t now_ns = 0) noexcept;
  void region_end() noexcept;
  // The one that this thread is in.
  [[nodiscard]] static Region current_region() noexcept;
  // The one that a thread would be in, if it began one of that name now; kWholeRun where memory runs out.
  [[nodiscard]] Region region_inside(std::string_view name) noexcept;
  // All that it is in.
  [[nodiscard]] static const Nesting& regions_of_this_thread() noexcept;

  // Around a parallel region of OpenMP that a thread meets outside of any other, and the size of its team when that is
  // known; counts on MPI's main thread. `code`: where the program goes on behind it. True: what its threads do is wanted too.
  bool team_begin(const void* code, std::int64_t now_ns) noexcept;
  void team_has(unsigned threads) noexcept;
  void team_end(std::int64_t now_ns) noexcept;
  // On each thread of that team, as it begins; how it goes on: Teams.
  void team_member_begins(unsigned index, std::int64_t now_ns) noexcept;
  // There is a runtime that calls these four. Where it tells no waits of threads, what each of several in a team does is not told.
  enum class Waits : std::uint8_t { told, untold };
  void openmp_tells(Waits waits) noexcept;
  [[nodiscard]] bool does_openmp_tell() const { return openmp_tells_.load(std::memory_order_relaxed); }

  // MPI_Pcontrol, of the calling thread: nesting.hpp says what levels mean.
  void set_level(int level) noexcept;

  [[nodiscard]] Detail detail() const { return detail_; }
  [[nodiscard]] const Books& books() const { return books_; }
  [[nodiscard]] const Regions& regions() const { return regions_; }
  [[nodiscard]] const Stopwatch& stopwatch() const { return stopwatch_; }
  [[nodiscard]] const Teams& teams() const { return teams_; }
  [[nodiscard]] Flight& flight() { return flight_; }
  [[nodiscard]] const Flight& flight() const { return flight_; }
  [[nodiscard]] const ThreadUse& thread_use() const { return thread_use_; }
  [[nodiscard]] int main_thread() const { return main_thread_.load(std::memory_order_relaxed); }

 private:
  Book* my_book() noexcept;
  Book* open_my_book() noexcept;
  static void end_this_thread(void*) noexcept;
  void turn_to(Region region, bool entering);
  void pause() noexcept;
  void go_on() noexcept;

  Detail detail_;
  Books books_;
  Books unseen_;  // what threads do while they are paused: nobody asks
  Regions regions_;
  Stopwatch stopwatch_;
  Teams teams_;
  ThreadUse thread_use_;
  Flight flight_;
  std::atomic<int> main_thread_{0};
  std::atomic<bool> openmp_tells_{false};
  os::ThreadEnd thread_end_{&end_this_thread};
};

}  // namespace comity::metrics
