// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/flight.hpp"

#include <algorithm>
#include <utility>

#include "metrics/rank/collector.hpp"

namespace comity::metrics {

Flight::Lane* Flight::open_lane() noexcept {
  lane_ = lanes_.take();
  if (lane_ != nullptr && !has_first_.exchange(true, std::memory_order_relaxed)) lane_->first = true;
  return lane_;
}

void Flight::leave() noexcept {
  if (lane_ != nullptr) OfThreads<Lane>::leave(*std::exchange(lane_, nullptr));
}

void Flight::count_among_others(const interpose::Event& event, Lane& mine) noexcept {
  const std::int64_t after = change_requests(event.requests, mine);
  const std::int64_t during = after - event.requests + 1 + ended_during(event, mine);
  const std::int64_t most = std::max(during, after);
  if (most > window_most_.load(std::memory_order_relaxed)) note_most(most, event.end_ns);
}

std::int64_t Flight::change_requests(std::int32_t by, const Lane& mine) noexcept {
  if (mine.first) {
    const std::int64_t own = requests_of_first_.load(std::memory_order_relaxed) + by;
    if (by != 0) requests_of_first_.store(own, std::memory_order_relaxed);
    return own + requests_of_others_.load(std::memory_order_relaxed);
  }
  const std::int64_t before = by == 0 ? requests_of_others_.load(std::memory_order_relaxed)
                                      : requests_of_others_.fetch_add(by, std::memory_order_relaxed);
  return before + by + requests_of_first_.load(std::memory_order_relaxed);
}

// Calls of other threads, one of each at the most. All are looked through only where the last that ended is one of them. A call
// in this thread's own lane that ended meanwhile is that of the thread that had the lane before.
std::int64_t Flight::ended_during(const interpose::Event& event, Lane& mine) noexcept {
  std::int64_t found = mine.last_end_ns.load(std::memory_order_relaxed) > event.begin_ns ? 1 : 0;
  mine.last_end_ns.store(event.end_ns, std::memory_order_relaxed);
  const Lane* const last = last_to_end_.exchange(&mine, std::memory_order_acq_rel);
  if (last == &mine) return found;
  if (last != nullptr && last->last_end_ns.load(std::memory_order_relaxed) <= event.begin_ns) return found;
  lanes_.each([&](const Lane& lane) {
    if (&lane != &mine && lane.last_end_ns.load(std::memory_order_relaxed) > event.begin_ns) ++found;
  });
  return found;
}

void Flight::note_most(std::int64_t in_flight, std::int64_t at_ns) noexcept {
  const std::lock_guard guard(mutex_);
  window_most_.store(std::max(in_flight, window_most_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  if (in_flight <= run_.most_in_flight) return;
  run_.most_in_flight = in_flight;
  run_.most_at_ns = at_ns;
}

void Flight::note_gap(std::int64_t gap_ns, std::int64_t end_ns) noexcept {
  const std::lock_guard guard(mutex_);
  window_gap_ns_.store(std::max(gap_ns, window_gap_ns_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  if (gap_ns <= run_.longest_gap_ns) return;
  run_.longest_gap_ns = gap_ns;
  run_.gap_end_ns = end_ns;
  run_.gap_region = Collector::current_region();
}

Flight::Sample Flight::sample() noexcept {
  const std::lock_guard guard(mutex_);
  const Sample sample{window_most_.load(std::memory_order_relaxed), window_gap_ns_.load(std::memory_order_relaxed)};
  window_most_.store(0, std::memory_order_relaxed);
  window_gap_ns_.store(0, std::memory_order_relaxed);
  return sample;
}

Flight::Figures Flight::figures() const {
  const std::lock_guard guard(mutex_);
  Figures figures = run_;
  lanes_.each([&](const Lane& lane) { figures.injections += static_cast<std::int64_t>(lane.injections.value()); });
  return figures;
}

}  // namespace comity::metrics
