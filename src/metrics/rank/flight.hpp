// SPDX-License-Identifier: BSD-3-Clause
// Flight: how many calls of a rank are under way, and how long it injects nothing, where calls are timed. What the figures
// mean: docs/metrics.md. Told after each call; a lone thread's calls need no locked instruction.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/held_mutex.hpp"
#include "interpose/event.hpp"
#include "metrics/rank/of_threads.hpp"
#include "metrics/rank/regions.hpp"
#include "metrics/rank/tally.hpp"

namespace comity::metrics {

class Flight {
 public:
  // After a call, on its thread. In line, for messages are told here one by one.
  void saw(const interpose::Event& event) noexcept {
    Lane* const mine = lane_ != nullptr ? lane_ : open_lane();
    if (mine == nullptr) return;
    if (lanes_.is_alone(*mine)) {
      count_alone(event);
    } else {
      count_among_others(event, *mine);
    }
    if (!injects(event.facts->kind) || !event.succeeded) return;
    mine->injections.add(1);
    const std::int64_t last_ns = last_injection_end_ns_.load(std::memory_order_relaxed);
    const std::int64_t gap_ns = event.begin_ns - last_ns;
    if (gap_ns > window_gap_ns_.load(std::memory_order_relaxed) && last_ns != 0) note_gap(gap_ns, event.begin_ns);
    if (event.end_ns > last_ns) last_injection_end_ns_.store(event.end_ns, std::memory_order_relaxed);
  }

  // After a call that does not count, on its thread: only requests are followed, for they may complete when calls count again.
  void follow(const interpose::Event& event) noexcept {
    Lane* const mine = lane_ != nullptr ? lane_ : open_lane();
    if (mine != nullptr && event.requests != 0) (void)change_requests(event.requests, *mine);
  }
  // Calls of the calling thread count again: the time since the last injection is no gap, for nobody knows what was in it.
  void go_on() noexcept { last_injection_end_ns_.store(0, std::memory_order_relaxed); }

  // At the end of the calling thread: the next one that comes has its lane.
  static void leave() noexcept;
  // As many as there were threads at once.
  [[nodiscard]] std::size_t lanes() const { return lanes_.count(); }

  // Of the time since the last sample; one thread takes them.
  struct Sample {
    std::int64_t most_in_flight = 0;
    std::int64_t longest_gap_ns = 0;  // that ended then
  };
  [[nodiscard]] Sample sample() noexcept;

  // Of the whole run.
  struct Figures {
    std::int64_t injections = 0;
    std::int64_t most_in_flight = 0;
    std::int64_t most_at_ns = 0;
    std::int64_t longest_gap_ns = 0;
    std::int64_t gap_end_ns = 0;
    Region gap_region = kWholeRun;  // in which it ended
  };
  [[nodiscard]] Figures figures() const;

 private:
  // What one thread does.
  struct Lane : OfThread<Lane> {
    bool first = false;  // of all
    Tally injections;
    std::atomic<std::int64_t> last_end_ns{0};
  };
  // Gives something to the network: its end and the begin of the next one bound the time in which the rank gave nothing.
  [[nodiscard]] static bool injects(interpose::Kind kind) {
    using enum interpose::Kind;
    return kind == send || kind == exchange || kind == one_sided || kind == start || kind == collective;
  }
  Lane* open_lane() noexcept;
  // While the call is made it is under way itself, beside the requests that were so before; afterwards, those that it has left.
  void count_alone(const interpose::Event& event) noexcept {
    const std::int64_t before = requests_of_first_.load(std::memory_order_relaxed);
    if (event.requests != 0) requests_of_first_.store(before + event.requests, std::memory_order_relaxed);
    const std::int64_t most = before + std::max(1, event.requests);
    if (most > window_most_.load(std::memory_order_relaxed)) note_most(most, event.end_ns);
  }
  void count_among_others(const interpose::Event& event, Lane& mine) noexcept;
  [[nodiscard]] std::int64_t change_requests(std::int32_t by, const Lane& mine) noexcept;
  [[nodiscard]] std::int64_t ended_during(const interpose::Event& event, Lane& mine) noexcept;
  void note_most(std::int64_t in_flight, std::int64_t at_ns) noexcept;
  void note_gap(std::int64_t gap_ns, std::int64_t end_ns) noexcept;

  // One flight a process: a thread finds its lane without asking for whom.
  static inline constinit thread_local Lane* lane_ __attribute__((tls_model("initial-exec"))) = nullptr;
  OfThreads<Lane> lanes_;
  std::atomic<bool> has_first_{false};
  // Who of several ended a call last: what ended before that thread's last call, of others, has ended before this one began.
  std::atomic<const Lane*> last_to_end_{nullptr};
  std::atomic<std::int64_t> requests_of_first_{0};  // written by the thread of that lane alone
  std::atomic<std::int64_t> requests_of_others_{0};
  std::atomic<std::int64_t> window_most_{0};
  std::atomic<std::int64_t> window_gap_ns_{0};
  std::atomic<std::int64_t> last_injection_end_ns_{0};  // 0: there was none
  mutable HeldMutex mutex_;                             // guards what follows
  Figures run_;
};

}  // namespace comity::metrics
