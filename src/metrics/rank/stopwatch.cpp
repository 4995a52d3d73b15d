// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/stopwatch.hpp"

#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::metrics {
namespace {

std::uint64_t between(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, to - from));
}

}  // namespace

Stopwatch::~Stopwatch() {
  for (std::atomic<Lap*>& lap : laps_) delete lap.load(std::memory_order_relaxed);
}

Stopwatch::Reading Stopwatch::read() const {
  return {now_ns(), os::process_cpu_ns(), os::thread_cpu_ns(), others_inside_ns_.load(std::memory_order_relaxed)};
}

// Where memory runs out the time goes to a lap that nobody reads.
Lap& Stopwatch::lap_of(Region region) {
  static Lap unread;
  Lap* lap = laps_[region].load(std::memory_order_relaxed);
  if (lap != nullptr) return *lap;
  lap = new (std::nothrow) Lap;
  if (lap == nullptr) return unread;
  laps_[region].store(lap, std::memory_order_release);
  return *lap;
}

void Stopwatch::pass(const Reading& now) {
  lap_->wall_ns.add(between(last_.wall_ns, now.wall_ns));
  lap_->process_cpu_ns.add(between(last_.process_cpu_ns, now.process_cpu_ns));
  lap_->main_cpu_ns.add(between(last_.main_cpu_ns, now.main_cpu_ns));
  lap_->others_inside_ns.add(between(last_.others_inside_ns, now.others_inside_ns));
  if (team_threads_ > 0) pass_in_team(now.wall_ns);
  last_ = now;
}

void Stopwatch::pass_in_team(std::int64_t now_ns) {
  const std::uint64_t passed = between(team_passed_ns_, now_ns);
  lap_->team_ns.add(passed);
  lap_->team_thread_ns.add(passed * team_threads_);
  team_passed_ns_ = now_ns;
}

void Stopwatch::start(Region region) {
  last_ = read();
  lap_ = &lap_of(region);
  lap_->visits.add(1);
  state_ = State::running;
}

void Stopwatch::turn_to(Region region, bool entering) {
  if (state_ != State::running) return;
  pass(read());
  lap_ = &lap_of(region);
  if (entering) lap_->visits.add(1);
}

void Stopwatch::catch_up() {
  if (state_ == State::running) pass(read());
}

void Stopwatch::pause() {
  if (state_ != State::running) return;
  pass(read());
  state_ = State::paused;
}

void Stopwatch::go_on(Region region) {
  if (state_ != State::paused) return;
  const Reading now = read();
  paused_ns_.add(between(last_.wall_ns, now.wall_ns));
  last_ = now;
  team_passed_ns_ = now.wall_ns;
  lap_ = &lap_of(region);
  state_ = State::running;
}

void Stopwatch::stop() {
  if (state_ == State::running) pass(read());
  if (state_ == State::paused) paused_ns_.add(between(last_.wall_ns, read().wall_ns));
  state_ = State::stopped;
}

// A team is of one thread until more is known, a moment later.
void Stopwatch::team_begin() {
  if (state_ == State::stopped) return;
  team_threads_ = 1;
  team_passed_ns_ = now_ns();
  if (state_ == State::running) lap_->teams.add(1);
}

void Stopwatch::team_has(unsigned threads) {
  if (team_threads_ == 0) return;
  team_threads_ = threads;
  if (state_ == State::running) lap_->largest_team.raise_to(threads);
}

void Stopwatch::team_end() {
  if (team_threads_ == 0) return;
  if (state_ == State::running) pass_in_team(now_ns());
  team_threads_ = 0;
}

}  // namespace comity::metrics
