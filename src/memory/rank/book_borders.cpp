// SPDX-License-Identifier: BSD-3-Clause
// What a book sees at borders of regions. Not: of which visits (borders), nor what it makes of other looks (book).
#include <exception>

#include "base/clock.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/written.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::memory {

BorderLook Book::border_look(const os::PageUse& mapped) const noexcept {
  return {now_ns(), number(mapped.rss), number(mapped.pss), number(mapped.uss()), sample_now().components};
}

// As long as the kernel lets us. The time of the processor counts: on a crowded machine a look may take long and cost little.
template <typename Note>
void Book::look_at_mappings(Note&& note) noexcept {
  aside_at_borders_.run([&] {
    const std::int64_t begin_ns = os::thread_cpu_ns();
    try {
      look_at_unasked_at_border();
      const BorderLook look = border_look(mapped_now());
      note(look, os::thread_cpu_ns() - begin_ns);
    } catch (const std::exception&) {
      mappings_are_refused_ = true;
    }
  });
}

// Behind a look at ranges, and part of what the look costs. Where nothing seems to have changed it is left out.
void Book::look_at_unasked_at_border() noexcept {
  constexpr std::int64_t kMatters_bytes = std::int64_t{64} << 10U;
  const std::lock_guard lock(mutex_);
  if (beside_.may_be_counted_again()) return count_unasked_if_off_by(kMatters_bytes, what_passed(now_ns()));
  if (ledger_ != nullptr) (void)ledger_->look(static_cast<int>(LedgerLook::now));
}

void Book::visit_begins(BorderOf whose, RegionNumber region) noexcept {
  const std::int64_t now = now_ns();
  if (start_ns_ == 0 || mappings_are_refused_ || !is_on()) return;
  if (!borders_.visit(whose, region, now)) return;
  if (!borders_.can_pay(now, total_bytes())) return borders_.put_off(region, now);
  look_at_mappings([&](const BorderLook& look, std::int64_t cost_ns) { borders_.begin(whose, region, look, cost_ns); });
}

void Book::visit_ends(BorderOf whose) noexcept {
  if (!borders_.is_open(whose)) return;
  if (!mappings_are_refused_ && is_on()) {
    look_at_mappings([&](const BorderLook& look, std::int64_t cost_ns) { borders_.end(whose, look, cost_ns); });
  }
  borders_.drop(whose);  // of a visit whose end nobody sees nothing is told
}

// What all pages were asked for tells the same, and costs no more.
void Book::note_stock(const Stock& stock) noexcept {
  const BorderLook look = border_look(stock.attribution->total);
  if (stock.moment == Moment::after_init) {
    borders_.start(look.time_ns);
    borders_.begin(kBorderOfRun, 0, look, 0);
  } else if (is_last(stock.moment)) {
    borders_.end(kBorderOfRun, look, 0);
  } else if (stock.moment == Moment::asked) {
    borders_.note_asked(regions_.current(), look);
  }
}

}  // namespace comity::memory
