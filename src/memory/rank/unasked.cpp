// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/unasked.hpp"

#include <algorithm>
#include <exception>

#include "memory/rank/own_ledger.hpp"
#include "memory/rank/written.hpp"
#include "os/kernel.hpp"
#include "os/memory/pages.hpp"

namespace comity::memory {
namespace {

// Pages of a file that nobody has written are the file's, and mincore counts those that any process has: page tables are asked. Pages that
// were only read are nobody's. A range that has gone meanwhile has nothing.
// Between two blocks there may be less than a page.
std::uint64_t resident_bytes(const UnaskedRange& range, const std::optional<os::Pagemap>& tables) {
  if (range.has_file) {
    const auto counts = tables ? tables->count(range.start, range.end) : std::nullopt;
    return counts ? (counts->resident - std::min(counts->resident, counts->file)) * os::page_bytes() : 0;
  }
  const std::uint64_t bytes = os::bytes_in_core(range.start, range.end).value_or(0);
  if (bytes == 0 || !tables || range.component == Component::stack) return bytes;
  return bytes - std::min(bytes, tables->zero_pages(range.start, range.end) * os::page_bytes());
}

}  // namespace

Unasked::Unasked(const Components& components, const Ledger* ledger)
    : ledger_(ledger), looker_(os::process_id(), components, NodePages::left_out) {}

std::optional<Unasked::Bytes> Unasked::count() noexcept try {
  if (ledger_ == nullptr) return std::nullopt;
  return count_or_throw();
} catch (const std::exception&) {
  return std::nullopt;  // then what is beside is taken to stay as it was
}

// Of heaps what no small block has. What heaps have no room for lies in pools of an allocator that stands in for glibc's.
Unasked::Bytes Unasked::count_or_throw() {
  Ownership owns;
  owns.ranges = owned_ranges(*ledger_);
  const std::vector<UnaskedRange> ranges = looker_.unasked(owns);
  const std::optional<os::Pagemap> tables = os::Pagemap::of_this_process();
  Bytes bytes{};
  std::int64_t pools = 0;
  for (const UnaskedRange& range : ranges) {
    const std::int64_t resident = number(resident_bytes(range, tables));
    bytes[static_cast<std::size_t>(range.component)] += resident;
    if (range.may_be_pool) pools += resident;
  }
  std::int64_t small = 0;
  for_each_sum(ledger_, [&](std::size_t /*component*/, const LedgerSum& sum) { small += sum.small - sum.untouched; });
  std::int64_t& heap = bytes[static_cast<std::size_t>(UnaskedRange::kHeapOfAll)];
  const std::int64_t in_pools = std::clamp<std::int64_t>(small - heap, 0, pools);
  heap -= small - in_pools;
  bytes[static_cast<std::size_t>(Component::anonymous)] -= in_pools;
  return bytes;
}

}  // namespace comity::memory
