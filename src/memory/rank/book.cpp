// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/book.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/soon_free.hpp"
#include "memory/rank/written.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::memory {
namespace {

constexpr std::string_view kLooking = "(Comity)";
constexpr std::int64_t kEvery_ns = 1'000'000;
constexpr std::int64_t kEveryBorder_ns = 500'000;
constexpr std::int64_t kLately_ns = 5'000'000;  // a clock that costs little may be a tick late

}  // namespace

constinit thread_local Book::Passed Book::passed_;

Book::Book(const Components& components, RegionSource regions, CallSource calls, SwitchSource switches, NewsSink news,
           TotalSource quick_total)
    : components_(components),
      ledger_(find_ledger()),
      stocks_(components, ledger_),
      paths_(ledger_),
      quick_(quick_total),
      regions_(std::move(regions)),
      calls_(calls),
      switches_(switches),
      news_(news),
      unasked_(components, ledger_) {
  growth_.skip_to(read_ledger(total_bytes()).standing);
  if (ledger_ != nullptr) ledger_->ask_where(&Book::where_now, this);
}

Book::~Book() {
  if (ledger_ != nullptr) ledger_->ask_where(nullptr, nullptr);
}

void Book::glance_now(std::int64_t now_ns, std::string_view where) noexcept {
  std::int64_t due_ns = due_ns_.load(std::memory_order_relaxed);
  if (!due_ns_.compare_exchange_strong(due_ns, last_step(now_ns, kEvery_ns) + kEvery_ns, std::memory_order_relaxed))
    return;
  look(now_ns, where);
}

// What is seen soon after calls that were passed by belongs to the last of them.
std::string_view Book::what_passed(std::int64_t now_ns) noexcept {
  return passed_.where.empty() || now_ns > passed_.end_ns + kLately_ns ? kBetweenCalls : passed_.where;
}

// Once, and for a look that is of no call.
std::string_view Book::take_passed(std::string_view where) noexcept {
  const Passed passed = std::exchange(passed_, {});
  return where == kBetweenCalls ? passed.where : std::string_view();
}

bool Book::look_at_border(std::int64_t now_ns) noexcept {
  std::int64_t due_ns = border_due_ns_.load(std::memory_order_relaxed);
  const std::int64_t next_ns = last_step(now_ns, kEveryBorder_ns) + kEveryBorder_ns;
  if (!border_due_ns_.compare_exchange_strong(due_ns, next_ns, std::memory_order_relaxed)) return false;
  look(now_ns, what_passed(now_ns));
  return true;
}

// Where another thread of the program's is at it, what has changed is left to the next look.
void Book::look(std::int64_t now_ns, std::string_view where) noexcept {
  if (!is_on_by_wish()) return;
  if (const std::unique_lock lock = lock_for_look(); lock) aside_.run([&] { look_locked(now_ns, where); });
  if (has_news()) news_.tell();
}

// Comity's own thread has it for some microseconds, and for a slice of its core where that is crowded: what was to be told of this call would be told
// of the next. Who waits in vain is the copy of a process, in which that thread is not: it waits once.
std::unique_lock<HeldMutex> Book::lock_for_look() noexcept {
  constexpr int kMostTimes = 100;
  constexpr std::chrono::microseconds kBetween{50};
  std::unique_lock lock = lock_if_soon_free(mutex_, is_looked_from_beside_, kMostTimes, kBetween);
  if (!lock) is_looked_from_beside_.store(false, std::memory_order_relaxed);
  return lock;
}

std::optional<Sample> Book::look_from_beside(std::int64_t now_ns, std::string_view where) noexcept {
  if (!is_on_by_wish()) return std::nullopt;
  is_looked_from_beside_.store(true, std::memory_order_release);
  std::optional<Sample> sample;
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) sample = look_from_beside_locked(now_ns, where);
  is_looked_from_beside_.store(false, std::memory_order_release);
  return sample;
}

// What has changed is left to the next look of a thread of the program's, whose it is, and so is the credit of looks at ranges: where that is used up
// what a call has grown by is told of another. Peaks are the hooks' own, whatever comes of the sample.
std::optional<Sample> Book::look_from_beside_locked(std::int64_t now_ns, std::string_view where) noexcept {
  const std::int64_t bytes = total_bytes();
  if (ledger_ != nullptr) (void)ledger_->look(static_cast<int>(LedgerLook::if_due));
  (void)read_ledger(bytes);
  look_at_unasked(now_ns, where, kMuchFromBeside);
  note_peaks(now_ns, where);
  Sample sample = sample_now();
  return settle_from_beside(sample) ? std::optional(sample) : std::nullopt;
}

void Book::look_locked(std::int64_t now_ns, std::string_view where) noexcept {
  const std::string_view passed = take_passed(where);
  const std::int64_t bytes = sure_of(total_bytes(), now_ns);
  const bool looked = look_at_ranges(bytes);
  (void)read_ledger(bytes);
  look_at_unasked(now_ns, where, kMuchOfAll);
  note_peaks(now_ns, where);
  growth_.note(reading_.standing, where, regions_.current(), passed);
  if (looked) compare_with_total(bytes - quick_.offset());
}

bool Book::is_on_by_wish() noexcept {
  if (const std::optional<bool> wish = switches_.wish()) turn(*wish);
  return is_on();
}

void Book::turn(bool on) noexcept {
  if (on == is_on()) return;
  const std::int64_t time_ns = now_ns();
  const std::lock_guard lock(mutex_);
  if (is_on_.exchange(on, std::memory_order_relaxed) == on) return;
  const Standing& now = read_ledger(total_bytes()).standing;
  if (on) {
    growth_.skip_to(now);
    off_ns_ += time_ns - off_since_ns_;
  } else {
    const std::string_view where = what_passed(time_ns);
    growth_.note(now, where, regions_.current(), take_passed(where));
    off_since_ns_ = time_ns;
  }
  passed_ = {};
  if (ledger_ != nullptr) ledger_->keep_peaks(on ? 1 : 0);
  switches_.show(on);
}

std::int64_t Book::off_ns() const noexcept {
  const std::lock_guard lock(mutex_);
  return off_ns_ + (is_on() ? 0 : now_ns() - off_since_ns_);
}

// Whose it is that the process has grown by is seen at once, as long as that costs little.
bool Book::look_at_ranges(std::int64_t total_bytes) noexcept {
  constexpr std::int64_t kMuch_bytes = std::int64_t{256} << 10U;
  if (ledger_ == nullptr) return false;
  const bool has_grown = total_bytes >= total_then_ + kMuch_bytes;
  if (has_grown || total_bytes < total_then_) total_then_ = total_bytes;
  return ledger_->look(static_cast<int>(has_grown ? LedgerLook::soon : LedgerLook::if_due)) != 0;
}

// Once a look: what all components have takes longer to add up than the rest of a look that finds nothing new.
const Book::Reading& Book::read_ledger(std::int64_t total_bytes) noexcept {
  reading_ = {};
  reading_.standing.total = total_bytes;
  for_each_sum(ledger_, [&](std::size_t i, const LedgerSum& sum) {
    reading_.standing.components[i] = sum.resident();
    reading_.most[i] = sum.most_resident;
    reading_.owned += sum.resident();
  });
  return reading_;
}

void Book::note_growth(std::string_view where) noexcept {
  const std::lock_guard lock(mutex_);
  const std::string_view passed = take_passed(where);
  if (!is_on()) return;
  growth_.note(read_ledger(total_bytes()).standing, where, regions_.current(), passed);
  if (where != kLooking) note_peaks(now_ns(), where);  // there most was seen where the program was before
}

LedgerSum Book::in_ledger(Component component) const {
  LedgerSum sum{};
  if (ledger_ != nullptr) ledger_->sum(static_cast<std::uint32_t>(component), &sum);
  return sum;
}

// What looking takes itself is Comity's, and no call's.
void Book::take_stock(Moment moment, std::string_view behind) {
  if (touches_ != nullptr) touches_->catch_up();
  if (ledger_ != nullptr) (void)ledger_->look(static_cast<int>(LedgerLook::now));
  const std::string_view where = behind.empty() ? what_passed(now_ns()) : behind;
  note_growth(where);
  {
    const std::lock_guard lock(mutex_);
    end_peaks_until_now(where);
  }
  // What the MPI has for them, and gives back at the end, is in the look then.
  if (variables_ != nullptr) variables_->note(moment);
  const std::int64_t before = quick_.raw();
  const Stock& stock = stocks_.take(moment);
  if (stock.attribution) {
    quick_.note_exact(number(stock.attribution->total.rss), before, quick_.raw());
    if (ledger_ != nullptr) ledger_->beside(stock.beside_bytes() - quick_.offset());  // of a count that is off
    note_beside(stock, where);
    note_stock(stock);
  }
  if (moment == Moment::asked || is_last(moment)) note_held();
  note_growth(kLooking);
  if (moment == Moment::after_init) {
    exact_counts_.start(start_ns_ = now_ns());
    unasked_looks_.start(start_ns_);
    held_.start(start_ns_);
  }
  compare_with_total(quick_.raw());
}

// Where the kernel refuses it what was known before remains.
void Book::note_held() noexcept {
  if (ledger_ == nullptr) return;
  try {
    held_.read(*ledger_);
  } catch (const std::exception& error) {
    log::warning("memory", std::string("which places of code hold what is not told: ") + error.what());
  }
}

void Book::read_held_if_due(std::int64_t now_ns) noexcept {
  if (ledger_ != nullptr && is_on()) held_.read_if_due(*ledger_, now_ns);
}

// What the kernel tells and the ledger does not know, as pages of libraries, is taken to stay as it was. At the end it is what the last look saw,
// shares of all pages: what a thread of Comity's own had then, and has given back since, was there.
std::int64_t Book::now_of(Component component, const LedgerSum& sum) const {
  const std::span<const Stock> all = stocks_.all();
  const auto last =
      std::find_if(all.rbegin(), all.rend(), [](const Stock& one) { return one.attribution.has_value(); });
  if (last != all.rend() && is_last(last->moment)) return last->resident_bytes(component);
  const std::int64_t beside = last == all.rend() ? 0 : beside_.of(component);
  return std::max<std::int64_t>(0, beside + sum.resident());
}

// The most of the hooks goes with what is beside, and another thread may begin both anew.
Balance Book::of(Component component) const {
  const std::lock_guard lock(mutex_);
  const LedgerSum sum = in_ledger(component);
  Balance balance;
  balance.most_asked = sum.most_asked;
  balance.held = sum.small + sum.ranges;
  balance.most_untouched = sum.most_untouched;
  for (const Stock& stock : stocks_.all()) {
    if (stock.attribution && stock.moment == Moment::after_init) balance.at_start = stock.resident_bytes(component);
  }
  balance.now = now_of(component, sum);
  balance.most = std::max({peaks_.most_of(component), balance.now, beside_.of(component) + sum.most_resident});
  return balance;
}

// No component has more than all ever had, though what it has of pages and of blocks was most at different moments. Where there
// are pages of hugetlbfs nobody tells how many there were at the most.
std::int64_t Book::most_resident_bytes() const {
  const os::Totals now = stocks_.totals_now();
  const bool has_hugetlb = now.hugetlb > 0 || std::any_of(stocks_.all().begin(), stocks_.all().end(),
                                                          [](const Stock& one) { return one.totals.hugetlb > 0; });
  const std::int64_t most = quick_.settled(number(std::max(now.peak_resident, now.resident)));
  return has_hugetlb || most == 0 ? std::numeric_limits<std::int64_t>::max() : most;
}

}  // namespace comity::memory
