// SPDX-License-Identifier: BSD-3-Clause
// What a watched run does where regions, and levels of MPI_Pcontrol, begin and end. Not: which they are (metrics).
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "os/threads/threads.hpp"
#include "preload/guarded.hpp"
#include "preload/watched_run.hpp"

namespace comity::preload {

// What memory has grown by up to here belongs to the region that ends here, or to that around the one that begins.
void WatchedRun::note_memory_at_border() noexcept {
  if (book_ != nullptr) (void)book_->stop_before(now_ns());
}

void WatchedRun::turn_memory(bool on) noexcept {
  if (book_ != nullptr && os::this_thread() == collector_.main_thread()) book_->turn(on);
}

bool WatchedRun::looks_at_borders() const noexcept {
  return book_ != nullptr && os::this_thread() == collector_.main_thread();
}

void WatchedRun::look_where_begins(memory::BorderOf whose, memory::RegionNumber region) noexcept {
  if (const std::unique_lock lock = lock_if_free(); lock && exchange_) book_->visit_begins(whose, region);
}

void WatchedRun::look_where_ended(memory::BorderOf whose) noexcept {
  if (const std::unique_lock lock = lock_if_free(); lock && exchange_) book_->visit_ends(whose);
}

void WatchedRun::level_ends() noexcept {
  if (looks_at_borders()) look_where_ended(memory::kBorderOfLevel);
}

void WatchedRun::level_begins() noexcept {
  note_region();
  const metrics::Nesting& nesting = metrics::Collector::regions_of_this_thread();
  if (looks_at_borders() && nesting.has_region_of_level())
    look_where_begins(memory::kBorderOfLevel, nesting.innermost());
}

// Looks are outside of the region, so that they are none of its time.
void WatchedRun::region_begin(const char* name) noexcept {
  if (is_of_parent()) return;
  note_memory_at_border();
  note_processors_at_border();
  const std::size_t depth = metrics::Collector::regions_of_this_thread().depth() + 1;
  if (looks_at_borders() && depth <= metrics::Nesting::kDeepest)
    look_where_begins(static_cast<memory::BorderOf>(depth), collector_.region_inside(name));
  collector_.region_begin(name, plan_.folder.empty() ? 0 : now_ns());
  note_region();
}

void WatchedRun::region_end() noexcept {
  if (is_of_parent()) return;
  note_memory_at_border();
  const std::optional<RegionSpan> span =
      recorder_ ? span_that_ends(metrics::Collector::regions_of_this_thread(), now_ns()) : std::nullopt;
  const std::size_t depth = metrics::Collector::regions_of_this_thread().depth();
  collector_.region_end();  // before our own work, which is none of its time
  note_region();
  note_processors_at_border();
  if (looks_at_borders() && depth > 0 && depth <= metrics::Nesting::kDeepest)
    look_where_ended(static_cast<memory::BorderOf>(depth));
  if (span && os::this_thread() == collector_.main_thread()) {
    guarded("a region is not recorded", [&] { spans_.record(*span, *recorder_); });
  }
}

}  // namespace comity::preload
