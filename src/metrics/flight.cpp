// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/flight.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "metrics/collector.hpp"

namespace comity::metrics {

Flight::~Flight() {
  for (Lane* lane = lanes_.load(std::memory_order_relaxed); lane != nullptr;) delete std::exchange(lane, lane->next);
}

Flight::Lane* Flight::open_lane() noexcept {
  auto* const lane = new (std::nothrow) Lane;
  if (lane == nullptr) return nullptr;
  Lane* head = lanes_.load(std::memory_order_relaxed);
  do {
    lane->next = head;
    lane->first = head == nullptr;
  } while (!lanes_.compare_exchange_weak(head, lane, std::memory_order_acq_rel));
  lane_ = lane;
  return lane;
}

void Flight::count_among_others(const interpose::Event& event, const Lane& mine) noexcept {
  const std::int64_t after = change_requests(event.requests, mine);
  const std::int64_t during = after - event.requests + 1 + ended_since(event.begin_ns, mine);
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

// Calls of other threads, one of each at the most.
std::int64_t Flight::ended_since(std::int64_t ns, const Lane& mine) const noexcept {
  std::int64_t found = 0;
  for (const Lane* lane = lanes_.load(std::memory_order_acquire); lane != nullptr; lane = lane->next) {
    if (lane != &mine && lane->last_end_ns.load(std::memory_order_relaxed) > ns) ++found;
  }
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
  for (const Lane* lane = lanes_.load(std::memory_order_acquire); lane != nullptr; lane = lane->next) {
    figures.injections += static_cast<std::int64_t>(lane->injections.value());
  }
  return figures;
}

}  // namespace comity::metrics
