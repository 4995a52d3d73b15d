// SPDX-License-Identifier: BSD-3-Clause
// What a book makes of all that is resident: how much it is, and whether what components have is a part of it. Not: what they have (ledger, beside).
#include <algorithm>
#include <exception>

#include "memory/rank/book.hpp"
#include "memory/rank/written.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::memory {

// As MPI's memory is compared behind calls, each component's with all, but that all mappings are not asked: of what remains nobody knows whether the
// quick count is late, or something went meanwhile. There is another sample soon. False: it cannot be, or nobody knows.
bool Book::settle_from_beside(Sample& sample) noexcept {
  const auto is_more = [&] {
    const std::int64_t late = late_bytes_.load(std::memory_order_relaxed) - quick_.offset();
    const std::int64_t all = sample.total + std::max<std::int64_t>(0, late);
    const std::int64_t most = sample.most_of_one();
    return most > all && most > all + hugetlb_bytes();
  };
  if (ledger_ == nullptr) return !is_more();
  compared_.fetch_add(1, std::memory_order_relaxed);
  if (!is_more()) return true;
  (void)ledger_->look(static_cast<int>(LedgerLook::now));
  sample = sample_now();
  if (!is_more()) return true;
  undecided_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// MPI's memory is a part of all, at every sample. What was given back since ranges were looked at counts until they are looked
// at again, so they are before it is called an error; and some kernels are late with what they count quickly, so all mappings are asked before.
// So is what all components have of blocks and mappings. A count that falls behind time and again is not worth more looks, and
// where another thread is at a look there is none: then it is told that nobody knows.
void Book::compare_with_total(std::int64_t quick_total) noexcept {
  constexpr std::int64_t kEnough = 100;
  const auto is_more = [&](std::int64_t all) { return std::max(mpi_bytes(), owned_bytes()) > all; };
  const auto all_now = [&] { return quick_.raw() + hugetlb_bytes() + late_bytes_.load(std::memory_order_relaxed); };
  if (ledger_ == nullptr) return;
  compared_.fetch_add(1, std::memory_order_relaxed);
  if (!is_more(quick_total + late_bytes_.load(std::memory_order_relaxed)) || !is_more(all_now())) return;
  const bool may_ask = asked_mappings_.load(std::memory_order_relaxed) < kEnough;
  if (!may_ask || ledger_->look(static_cast<int>(LedgerLook::now)) == 0) {
    undecided_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (!is_more(all_now())) return;
  ask_mappings();
  const std::int64_t all = all_now();
  if (mpi_bytes() > all) above_.fetch_add(1, std::memory_order_relaxed);
  if (owned_bytes() > all) sum_above_.fetch_add(1, std::memory_order_relaxed);
}

void Book::ask_mappings() noexcept try {
  asked_mappings_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t late = number(mapped_now().rss) - quick_.raw();
  if (late > late_bytes_.load(std::memory_order_relaxed)) late_bytes_.store(late, std::memory_order_relaxed);
} catch (const std::exception&) {
  return;  // then what the quick count has is all that is known
}

// Each exact count tells how far the quick one is off.
os::PageUse Book::mapped_now() {
  const std::int64_t before = quick_.raw();
  const os::PageUse mapped = stocks_.mapped_now();
  quick_.note_exact(number(mapped.rss), before, quick_.raw());
  return mapped;
}

// A peak that the quick count tells is counted exactly, where that count is known to be off, as long as that costs little.
std::int64_t Book::sure_of(std::int64_t total_bytes, std::int64_t now_ns) noexcept {
  if (!quick_.is_approximate() || !is_news(total_bytes, quick_.most_exact())) return total_bytes;
  if (!exact_counts_.can_pay(now_ns, 1, total_bytes)) return total_bytes;
  const std::int64_t begin_ns = os::thread_cpu_ns();
  try {
    (void)mapped_now();
  } catch (const std::exception&) {
    return total_bytes;
  }
  exact_counts_.pay(os::thread_cpu_ns() - begin_ns, total_bytes);
  return quick_.now();
}

std::int64_t Book::owned_bytes() const noexcept {
  std::int64_t bytes = 0;
  for_each_sum(ledger_, [&](std::size_t /*component*/, const LedgerSum& sum) { bytes += sum.resident(); });
  return bytes;
}

// What was given back since ranges were looked at is known when it has been compared.
Sample Book::sample() noexcept {
  const Sample sample = sample_now();
  compare_with_total(sample.total - quick_.offset());
  return ledger_ == nullptr || sample.most_of_one() <= sample.total ? sample : sample_now();
}

// As of(), but for the figures of the whole run: all components at once.
Sample Book::sample_now() const noexcept {
  Sample sample;
  sample.total = total_bytes();
  sample.virtual_bytes = quick_.virtual_now();
  if (!beside_.is_known()) return sample;
  std::int64_t owned = 0;
  for_each_sum(ledger_, [&](std::size_t i, const LedgerSum& sum) {
    sample.components[i] = sum.resident();
    owned += sum.resident();
  });
  for (std::size_t i = 0; i < components_.count(); ++i)
    sample.components[i] = std::max<std::int64_t>(0, beside_.of(static_cast<Component>(i)) + sample.components[i]);
  sample.untold = untold_of(sample.total, owned);
  return sample;
}

std::int64_t Book::mpi_bytes() const noexcept {
  const LedgerSum sum = in_ledger(Component::mpi);
  return beside_.of(Component::mpi) + sum.resident();
}

std::int64_t Book::hugetlb_bytes() const noexcept try {
  const TotalSource& source = quick_.source();
  return source.hugetlb != nullptr ? source.hugetlb() : number(stocks_.totals_now().hugetlb);
} catch (...) {
  return 0;
}

}  // namespace comity::memory
