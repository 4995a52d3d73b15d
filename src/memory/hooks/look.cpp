// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/look.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>

#include "base/clock.hpp"
#include "memory/hooks/found_peaks.hpp"
#include "memory/hooks/mapped/mappings.hpp"
#include "memory/hooks/sums.hpp"
#include "memory/ledger.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/kernel.hpp"
#include "os/memory/mappings.hpp"
#include "os/memory/pages.hpp"
#include "os/memory/totals.hpp"
#include "os/threads/futex.hpp"

namespace comity::memory::hooks {
namespace {

// Ranks that wait for one another wait for each other's looks too, which then add up, but for those at one step of their clock.
constexpr std::int64_t kCredit_ns = kPartOfTime * 10'000'000;  // ten milliseconds of looks

constinit std::atomic<int> looker{0};  // the process one of whose threads looks: in a fork child nobody does
constinit std::atomic<std::int64_t> paid_until_ns{0};  // the time that all looks up to now may take

// Of whoever looks: the stack that a look stands on is the program's, and may be small.
constinit std::array<std::uint64_t, 1024> page_room{};

// Of the looker's thread the place of errno, which no other thread has; null while nobody looks.
constinit std::atomic<const int*> lookers_errno{nullptr};
constinit std::atomic<std::uint32_t> looks_ended{0};
constinit std::atomic<std::uint32_t> waiting{0};  // threads, for the look that is on to end
constinit std::atomic<std::uint32_t> given_up{
    UINT32_MAX};  // the look behind so many others, which somebody has waited for in vain

void note_look_ended() noexcept {
  looks_ended.fetch_add(1);
  if (waiting.load() > 0) (void)os::futex_wake(looks_ended);
}

// Another thread looks, for some microseconds, and for a slice of its core where that is crowded. Who would lose something else waits for it. But not twice
// for one that does not end, as its thread is stopped; and a handler of a signal that has interrupted it would wait for itself.
void wait_for_others_look(std::int64_t deadline_ns) noexcept {
  const std::uint32_t ended = looks_ended.load();
  if (ended == given_up.load(std::memory_order_relaxed)) return;
  if (looker.load() == 0 || lookers_errno.load(std::memory_order_relaxed) == &errno) return;
  waiting.fetch_add(1);
  while (looks_ended.load() == ended && given_up.load(std::memory_order_relaxed) != ended) {
    const os::FutexEnd end = os::futex_wait_until(looks_ended, ended, deadline_ns);
    if (end == os::FutexEnd::timed_out) given_up.store(ended, std::memory_order_relaxed);
  }
  waiting.fetch_sub(1);
}

// The program sees nothing of a look.
class Looking {
 public:
  // Of two that end behind one another the second has begun since, and has seen all.
  explicit Looking(bool waits) : errno_(errno), me_(os::process_id()), is_mine_(take()) {
    constexpr int kSeeAll = 2;
    constexpr Nanoseconds kMost = std::chrono::milliseconds(50);
    if (is_mine_ || !waits) return;
    const std::int64_t deadline_ns = deadline_after(kMost);
    for (int i = 0; !is_mine_ && i < kSeeAll; ++i) {
      wait_for_others_look(deadline_ns);
      is_mine_ = take();
    }
  }
  ~Looking() {
    if (is_mine_) {
      lookers_errno.store(nullptr, std::memory_order_relaxed);
      looker.store(0);
      note_look_ended();
    }
    errno = errno_;
  }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;
  [[nodiscard]] bool is_mine() const { return is_mine_; }

 private:
  [[nodiscard]] bool take() noexcept {
    int who = looker.load(std::memory_order_relaxed);
    if (who == me_ || !looker.compare_exchange_strong(who, me_, std::memory_order_acquire)) return false;
    lookers_errno.store(&errno, std::memory_order_relaxed);
    return true;
  }

  int errno_;
  int me_;
  bool is_mine_;
};

// What is resident of ranges. Those that may be shared are asked of the page tables, which a descriptor is needed for:
// not longer than a look takes, for it stands in the program. So are pages that are only read, which the cheaper way counts,
// where something has changed.
class Eye {
 public:
  // None: nobody can tell, or the range has gone meanwhile.
  [[nodiscard]] std::optional<std::uint64_t> resident_bytes(const Range& range) {
    const std::uintptr_t end = range.start + range.bytes;
    std::optional<std::uint64_t> bytes;
    if (!range.is_shared) bytes = os::bytes_in_core(range.start, end, page_room);
    if (!bytes) return in_range(range, in_page_tables(range.start, end));
    if (*bytes == range.seen_bytes || !open_tables()) return bytes;
    return *bytes - std::min(*bytes, tables_->zero_pages(range.start, end, page_room) * os::page_bytes());
  }

 private:
  // A range need not end with a page.
  [[nodiscard]] static std::optional<std::uint64_t> in_range(const Range& range, std::optional<std::uint64_t> pages) {
    return pages ? std::optional(std::min(*pages * os::page_bytes(), range.bytes)) : std::nullopt;
  }

  [[nodiscard]] bool open_tables() {
    if (!tables_) tables_ = os::Pagemap::of_this_process();
    return tables_.has_value();
  }

  [[nodiscard]] std::optional<std::uint64_t> in_page_tables(std::uintptr_t start, std::uintptr_t end) {
    const auto counts = open_tables() ? tables_->count(start, end, page_room) : std::nullopt;
    return counts ? std::optional(counts->resident) : std::nullopt;
  }

  std::optional<os::Pagemap> tables_;
};

void look_at(RangePlace& place, Eye& eye) {
  const std::optional<Range> range = place.read();
  if (!range) return;
  const std::optional<std::uint64_t> seen = eye.resident_bytes(*range);
  if (!seen || *seen == range->seen_bytes) return;
  const std::int64_t grown = place.set_seen(range->start, *seen);
  sums.add_seen(place.component(), grown);  // whose it is by now: a look takes long, and another may be there
}

void look_at_all() {
  Eye eye;
  blocks.for_each([&](RangePlace& place) { look_at(place, eye); });
  for (RangePlace& place : mappings.places()) look_at(place, eye);
}

constinit std::atomic<std::uintptr_t> heap_start{0};

// [bytes] What was seen of ranges that begin there: of larger blocks, and of what somebody took by moving the break himself.
std::uint64_t seen_between(std::uintptr_t start, std::uintptr_t end) {
  std::uint64_t seen_bytes = 0;
  const auto add = [&](const RangePlace& place) {
    const std::optional<Range> range = place.read();
    if (range && range->start >= start && range->start < end) seen_bytes += range->seen_bytes;
  };
  blocks.for_each(add);
  for (const RangePlace& place : mappings.places()) add(place);
  return seen_bytes;
}

// Where nobody can tell there is no end to it.
Room room_of_all(Asked asked) noexcept {
  const auto resident = os::own_resident_bytes(asked == Asked::total ? os::Hugetlb::left_out : os::Hugetlb::added);
  Room room;
  room.resident_bytes = resident ? static_cast<std::int64_t>(*resident) : std::int64_t{1} << 60U;
  if (asked == Asked::total) return room;
  const std::uintptr_t start = heap_start.load(std::memory_order_relaxed);
  const std::uintptr_t end = os::program_break();
  if (start == 0 || end <= start) return room;
  const std::uint64_t heap_bytes = os::pages_in_core(start, end, page_room).value_or(0) * os::page_bytes();
  room.heap_bytes = static_cast<std::int64_t>(heap_bytes - std::min(heap_bytes, seen_between(start, end)));
  return room;
}

bool is_due(When when, std::int64_t now) {
  const std::int64_t paid_ns = paid_until_ns.load(std::memory_order_relaxed);
  switch (when) {
    case When::if_due:
      return paid_ns <= last_step(now, kLookStep_ns);
    case When::on_some_credit:
    case When::on_half_credit:
      return paid_ns - now <= kCredit_ns / 2;
    case When::on_credit:
      return paid_ns - now <= kCredit_ns;
    case When::now:
      break;
  }
  return true;
}

bool is_before_loss(When when) noexcept { return when == When::on_credit || when == When::on_some_credit; }

// Of those who would lose something most are refused, again and again: to find that out costs no more than a look at the cheapest clock, which is
// late by less than this.
bool is_refused(When when) noexcept {
  constexpr std::int64_t kLate_ns = 20'000'000;
  return is_before_loss(when) && !is_due(when, os::coarse_now_ns() + kLate_ns);
}

}  // namespace

constinit BlockTable blocks;

// What looks cost comes back at a 500th of the time that passes; only who would lose something looks before it has. Processor
// time counts: on a crowded machine a look may take long and cost little.
bool look(When when) noexcept {
  if (is_refused(when)) return false;
  const std::int64_t now = now_ns();
  if (!is_due(when, now)) return false;
  const Looking looking(when != When::if_due);
  if (!looking.is_mine() || !is_due(when, now)) return false;  // one that has ended meanwhile is to be paid too
  const std::int64_t begin_ns = os::thread_cpu_ns();
  look_at_all();
  sums.settle(room_of_all);
  sums.note_looked();
  if (is_before_loss(when)) found_peaks.note();
  const std::int64_t cost_ns = os::thread_cpu_ns() - begin_ns;
  const std::int64_t paid_ns = paid_until_ns.load(std::memory_order_relaxed);
  paid_until_ns.store(std::max(paid_ns, now) + kPartOfTime * cost_ns, std::memory_order_relaxed);
  return true;
}

void note_where_heap_begins() noexcept { heap_start.store(os::program_break(), std::memory_order_relaxed); }

// Who gives much back pays the kernel microseconds for it: then half a one more tells whether all together have never had as much.
void look_before_release(Component component, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kMuch_bytes = std::uint64_t{1} << 20U;
  if (!sums.keeps_peaks()) return;
  const Excess excess = sums.excess_over_peak(component);
  if (excess == Excess::much || (bytes >= kMuch_bytes && found_peaks.total_has_risen()))
    (void)look(When::on_credit);
  else if (excess == Excess::little)
    (void)look(When::on_some_credit);
}

void look_behind_fall(Component component) noexcept {
  if (sums.leaves_unseen_peak(component)) (void)look(When::on_credit);
}

}  // namespace comity::memory::hooks
