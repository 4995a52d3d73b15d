// SPDX-License-Identifier: BSD-3-Clause
// When and where a book's components, and all, had most, and what they have beside what the hooks know. Not: when it is looked (book).
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/clock.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/written.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/memory/totals.hpp"

namespace comity::memory {
namespace {

// The hooks keep one number for where a thread is.
constexpr unsigned kRegionBits = 16;
constexpr std::uint32_t packed(Position position) {
  return static_cast<std::uint32_t>(position.phase) << kRegionBits | position.region;
}
constexpr Position unpacked(std::uint32_t number) {
  return {static_cast<RegionNumber>(number), static_cast<PhaseNumber>(number >> kRegionBits)};
}

}  // namespace

// On any thread, inside malloc or munmap.
LedgerWhere Book::where_now(void* book) noexcept {
  const auto& mine = *static_cast<const Book*>(book);
  const std::string_view call = mine.calls_.current();
  return {call.data(), static_cast<std::uint32_t>(call.size()), packed(mine.regions_.here())};
}

// What the hooks have found since the last look has its own moment.
void Book::note_found_peaks() noexcept {
  if (ledger_ == nullptr) return;
  const std::uint32_t looks = ledger_->looks_before_releases();
  if (looks == looks_before_releases_) return;
  looks_before_releases_ = looks;
  const auto take = [&](std::size_t place, std::uint32_t number) {
    LedgerPeak found{};
    ledger_->found_peak(number, &found);
    const auto [call, call_bytes, region] = found.where;
    const std::string_view where = call_bytes == 0 ? kBetweenCalls : std::string_view(call, call_bytes);
    if (found.bytes == 0) return;
    const bool is_of_all = number == kAllThatIsResident;
    const std::int64_t bytes = found.bytes + (is_of_all ? quick_.offset() : beside_.of(static_cast<Component>(number)));
    const std::int64_t untold = is_of_all ? untold_of(bytes, found.known) : 0;
    peaks_.note_found(place, {bytes, found.time_ns, where, unpacked(region), untold});
  };
  for (std::uint32_t i = 0; i < ledger_->components(); ++i) take(i, i);
  take(Peaks::kTotal, kAllThatIsResident);
}

// Of what was just read of the ledger.
void Book::note_peaks(std::int64_t now_ns, std::string_view where) noexcept {
  note_found_peaks();
  const std::int64_t total_bytes = reading_.standing.total;
  peaks_.note(total_bytes, with_beside(reading_.most), now_ns, where, regions_.here(),
              untold_of(total_bytes, reading_.owned));
  rise_.note(os::own_high_water_bytes(), now_ns, where, regions_.here());
  if (peaks_.has_news() || rise_.has_news()) has_news_.store(true, std::memory_order_relaxed);
}

Peaks::Bytes& Book::with_beside(Peaks::Bytes& owned) const noexcept {
  for (std::size_t i = 0; i < owned.size(); ++i) owned[i] += beside_.of(static_cast<Component>(i));
  return owned;
}

// Before figures are told, so that no peak is told whose moment is not.
void Book::note_peaks_until_now() const noexcept {
  const std::lock_guard lock(mutex_);
  Peaks::Bytes most{};
  for_each_sum(ledger_, [&](std::size_t i, const LedgerSum& sum) { most[i] = sum.most_resident; });
  const std::int64_t time_ns = now_ns();
  peaks_.note_components(with_beside(most), time_ns, what_passed(time_ns), regions_.here());
}

// What is beside may have changed by now: what was most until now goes with what was beside until now. What was found until now has its moment.
void Book::end_peaks_until_now(std::string_view where) noexcept {
  if (ledger_ == nullptr) return;
  note_found_peaks();
  Peaks::Bytes most{};
  ledger_->begin_peaks(most.data(), static_cast<std::uint32_t>(most.size()));
  peaks_.note_components(with_beside(most), now_ns(), where, regions_.here());
  looks_before_releases_ = ledger_->looks_before_releases();
}

// Of what was before the first look what is beside then is the best that is known.
void Book::note_beside(const Stock& stock, std::string_view where) {
  const std::lock_guard lock(mutex_);
  const bool is_first = !beside_.is_known();
  beside_.note(stock, is_last(stock.moment) ? std::nullopt : unasked_.count());
  Peaks::Bytes there = beside_.all();
  if (is_first) peaks_.lift(there, most_resident_bytes());
  for (std::size_t i = 0; i < there.size(); ++i) there[i] += stock.in_ledger[i];
  peaks_.note_components(there, now_ns(), where, regions_.here());
  there[static_cast<std::size_t>(Component::page_tables)] = 0;  // they are no part of what is resident
  others_.store(number(stock.attribution->total.rss) - std::accumulate(there.begin(), there.end(), std::int64_t{0}),
                std::memory_order_relaxed);
  beyond_then_ = beyond_known(total_bytes(), owned_bytes());
  peaks_.note_total(total_bytes(), now_ns(), where, regions_.here(), std::max<std::int64_t>(0, beyond_then_));
}

// [bytes] What all has more than components, or less. Pages of hugetlbfs that came since the last look at all pages are in no total.
std::int64_t Book::beyond_known(std::int64_t total_bytes, std::int64_t owned_bytes) const noexcept {
  if (!beside_.is_known() || ledger_ == nullptr) return 0;
  std::int64_t known = owned_bytes - beside_.of(Component::page_tables) + others_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < kMostComponents; ++i) known += beside_.of(static_cast<Component>(i));
  return total_bytes - known;
}

std::int64_t Book::untold_of(std::int64_t total_bytes, std::int64_t owned_bytes) const noexcept {
  return std::max<std::int64_t>(0, beyond_known(total_bytes, owned_bytes));
}

bool Book::is_off_by(std::int64_t bytes) const noexcept {
  return std::abs(beyond_known(reading_.standing.total, reading_.owned) - beyond_then_) > bytes;
}

// What has come, or gone, without anybody's asking is looked for where it is much of all; where all has stayed as it is for a while also where it is
// little. While it still comes that leaves what is paid for a few counts, so that the end of it is counted whatever came before.
void Book::look_at_unasked(std::int64_t now_ns, std::string_view where, std::int64_t part) noexcept {
  constexpr std::int64_t kLittle_bytes = std::int64_t{256} << 10U;
  constexpr std::int64_t kMuch_bytes = std::int64_t{1} << 20U;
  constexpr std::int64_t kLittlePart = 256;
  constexpr std::int64_t kWhileItMoves = 5;  // counts that must be paid for
  constexpr std::int64_t kOfLittle = 2;
  const std::int64_t total_bytes = reading_.standing.total;
  const std::int64_t much = std::max(kMuch_bytes, total_bytes / part);
  const std::int64_t little = std::max(kLittle_bytes, total_bytes / kLittlePart);
  const bool is_settled = settled_.is_so(total_bytes, little, now_ns);
  const std::int64_t matters = is_settled ? little : much;
  if (!beside_.may_be_counted_again() || !is_off_by(matters)) return;
  const std::int64_t counts_of_settled = is_off_by(much) ? 1 : kOfLittle;
  if (!unasked_looks_.can_pay(now_ns, is_settled ? counts_of_settled : kWhileItMoves, total_bytes)) return;
  const std::int64_t begin_ns = os::thread_cpu_ns();
  count_unasked_if_off_by(matters, where);
  (void)read_ledger(total_bytes);  // as much as was seen, with what is known by now
  unasked_looks_.pay(os::thread_cpu_ns() - begin_ns, total_bytes);
}

// Ranges are looked at before, for it may be theirs. Peaks until now go with what was beside until now.
void Book::count_unasked_if_off_by(std::int64_t bytes, std::string_view where) noexcept {
  if (ledger_ == nullptr || !beside_.may_be_counted_again()) return;
  if (ledger_->look(static_cast<int>(LedgerLook::now)) == 0) return;
  (void)read_ledger(total_bytes());
  if (!is_off_by(bytes)) return;
  if (const std::optional<Unasked::Bytes> now = unasked_.count()) {
    end_peaks_until_now(where);
    beside_.note(*now);
  }
  beyond_then_ = beyond_known(total_bytes(), owned_bytes());
}

}  // namespace comity::memory
